/** The options of opencode-history, as they stand beside the plugin's name in OpenCode's configuration. */
export interface Options {
  /** `false`: keep no archive. Default `true`. */
  archive?: boolean | ArchiveOptions;
  /** `false`: do not mask secrets in the archive and in the tools' answers. Default `true`. */
  redact?: boolean;
  /** `false`: no `/history` command. Default `true`. */
  command?: boolean;
  /** `false`: no message in the interface when a first indexing takes long. Default `true`. */
  toasts?: boolean;
  /** `false`: index sessions of other projects only while OpenCode runs in those. Default `true`. */
  otherProjects?: boolean;
  /** Another folder for the search index; by default `history-search` in OpenCode's data folder. */
  indexDirectory?: string;
}

export interface ArchiveOptions {
  /** Another folder for the session files, absolute or relative to the worktree. Default `.opencode/sessions`. */
  directory?: string;
  /** `false`: the folder does not ignore itself, for teams that commit it. Default `true`. */
  gitignore?: boolean;
  /** "inline": keep the data of attachments too, not only name, type, size and hash. Default "reference". */
  attachments?: "reference" | "inline";
}

/** The plugin: OpenCode 1.18.x calls `server`, OpenCode 2.x calls `setup`. */
declare const plugin: {
  readonly id: "opencode-history";
  readonly server: (input: never, options?: Record<string, unknown>) => Promise<object>;
  readonly setup: (context: unknown) => (() => Promise<void>) | undefined;
};

export default plugin;
