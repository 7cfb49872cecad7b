/** Logger: the one way to say something about ourselves. It ends in the host's log, never on stdout or stderr. */

export type LogFields = Readonly<Record<string, string | number | boolean | null>>;

export interface Logger {
  debug(message: string, fields?: LogFields): void;
  info(message: string, fields?: LogFields): void;
  warn(message: string, fields?: LogFields): void;
  error(message: string, fields?: LogFields): void;
}

/** Says nothing: for tests and for the moments before a host is known. */
export const silentLogger: Logger = { debug() {}, info() {}, warn() {}, error() {} };

/** A logger that speaks through whichever logger is current at that moment; silent while there is none. */
export function relayLogger(current: () => Logger | undefined): Logger {
  const relay =
    (level: keyof Logger): Logger[keyof Logger] =>
    (message, fields) =>
      current()?.[level](message, fields);
  return { debug: relay("debug"), info: relay("info"), warn: relay("warn"), error: relay("error") };
}
