/**
 * Schema: the tables of the index file.
 *
 * Rows of `documents` hold the text once, as it was written; the FTS table holds only which folded trigram occurs in
 * which document (no positions, no content), so a hit is always verified on the text.
 */

import { FOLD_VERSION } from "../session/fold.ts";

/** "ochi": marks a SQLite file as ours (PRAGMA application_id). */
export const APPLICATION_ID = 0x6f636869;

/** Raised whenever the tables or the meaning of their contents change: what is searchable, how texts are cut. */
const SCHEMA_VERSION = 3;

/** PRAGMA user_version of our files. Postings are made of folded text, so another fold is another layout. */
export const LAYOUT_VERSION = SCHEMA_VERSION * 1000 + FOLD_VERSION;

/** Values of documents.role. A session's title is a document of its own, so that one lookup finds titles too. */
export const DOCUMENT_ROLE = { title: 0, user: 1, assistant: 2, other: 3 } as const;

export const TABLES = `
-- One row a session. A removed session keeps its row for a day as a tombstone (removed_at, no documents).
-- fingerprint, complete, message_count and what the host says of the session are as the refresh of stamp left them;
-- opened is the highest stamp that was ever given out for it.
CREATE TABLE sessions (
  key INTEGER PRIMARY KEY,
  id TEXT NOT NULL UNIQUE,
  source TEXT NOT NULL,
  project_id TEXT NOT NULL,
  directory TEXT NOT NULL,
  parent_id TEXT,
  title TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  updated_at INTEGER NOT NULL,
  archived_at INTEGER,
  revert_message_id TEXT,
  revert_part_id TEXT,
  has_error INTEGER NOT NULL DEFAULT 0,
  fingerprint TEXT,
  complete INTEGER NOT NULL DEFAULT 0,
  message_count INTEGER NOT NULL DEFAULT 0,
  stamp INTEGER NOT NULL,
  opened INTEGER NOT NULL DEFAULT 0,
  removed_at INTEGER
);
CREATE INDEX sessions_removed ON sessions (removed_at) WHERE removed_at IS NOT NULL;
CREATE INDEX sessions_by_activity ON sessions (updated_at DESC, key) WHERE removed_at IS NULL;
CREATE INDEX sessions_by_project ON sessions (project_id, updated_at DESC, key) WHERE removed_at IS NULL;
CREATE INDEX sessions_by_place ON sessions (project_id, directory) WHERE removed_at IS NULL;
CREATE INDEX sessions_by_parent ON sessions (parent_id) WHERE parent_id IS NOT NULL;

-- One row a chunk of a message (chunk 0 always exists, its text may be empty) or a title (message_id '').
-- digest, parent_id, prompt and has_error stand on chunk 0 only. A prompt mostly is how the text begins: then only its
-- length in code points is stored, negative when "…" follows. id = session key * 2^24 + n (document-id.ts): search
-- relies on it. When a document is rewritten it keeps its id; a new one takes the session's highest id + 1.
CREATE TABLE documents (
  id INTEGER PRIMARY KEY,
  session_key INTEGER NOT NULL,
  message_id TEXT NOT NULL,
  chunk INTEGER NOT NULL,
  role INTEGER NOT NULL,
  created_at INTEGER NOT NULL,
  stamp INTEGER NOT NULL,
  digest TEXT,
  parent_id TEXT,
  prompt_length INTEGER,
  other_prompt TEXT,
  has_error INTEGER NOT NULL DEFAULT 0,
  text TEXT NOT NULL,
  prompt TEXT GENERATED ALWAYS AS (
    CASE WHEN prompt_length IS NULL THEN other_prompt
      WHEN prompt_length < 0 THEN substr(text, 1, -prompt_length) || '…'
      ELSE substr(text, 1, prompt_length) END
  ) VIRTUAL
);
CREATE UNIQUE INDEX documents_by_message ON documents (session_key, message_id, chunk);
-- Without message_id and chunk, which break the few ties: readers sort those.
CREATE INDEX documents_by_time ON documents (session_key, created_at);
CREATE INDEX documents_with_error ON documents (session_key) WHERE has_error = 1;

-- One row for each file that a message changed. name is the last segment of path, lower-cased: the way in for path:.
-- With a rowid of its own, so that no index repeats the path.
CREATE TABLE document_paths (
  document_id INTEGER NOT NULL,
  path TEXT NOT NULL,
  name TEXT NOT NULL,
  tool TEXT NOT NULL,
  session_key INTEGER NOT NULL,
  edited_at INTEGER NOT NULL
);
CREATE INDEX document_paths_by_document ON document_paths (document_id);
CREATE INDEX document_paths_by_name ON document_paths (name, edited_at DESC);
CREATE INDEX document_paths_by_time ON document_paths (edited_at DESC);
CREATE INDEX document_paths_by_session ON document_paths (session_key, edited_at);

-- One row for each tool that a message called: the way in for tool:.
CREATE TABLE document_tools (
  tool TEXT NOT NULL,
  session_key INTEGER NOT NULL,
  document_id INTEGER NOT NULL,
  PRIMARY KEY (tool, session_key, document_id)
) WITHOUT ROWID;
`;

/**
 * FTS5 merges by itself at the worst moment and for as long as it takes; so it is told never to, and the writer merges
 * in small steps (postings-writer.ts): eight segments of a size into one, so that a posting is not copied too often.
 */
export const POSTINGS = `
CREATE VIRTUAL TABLE postings USING fts5 (
  text, content='', detail=none, columnsize=0, tokenize='trigram case_sensitive 1'
);
CREATE VIRTUAL TABLE posting_counts USING fts5vocab ('postings', 'row');
CREATE VIRTUAL TABLE posting_instances USING fts5vocab ('postings', 'instance');
INSERT INTO postings (postings, rank) VALUES ('automerge', 0);
INSERT INTO postings (postings, rank) VALUES ('usermerge', 8);
INSERT INTO postings (postings, rank) VALUES ('crisismerge', 1024);
`;

/** A whole index, where SQLite has the trigram tokenizer. */
export const SCHEMA = TABLES + POSTINGS;
