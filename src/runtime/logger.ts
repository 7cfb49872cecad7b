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
