/** Search for edits: who changed which file, when, and what they had been asked for. */

import { ALL_TIME } from "../search-index/reader-documents.ts";
import type { EditRow, EditSource } from "../search-index/reader-edits.ts";
import type { SessionRow } from "../search-index/reader-sessions.ts";
import { createEditHistory } from "./edit-history.ts";
import { isSelected, requiredPaths, selectPaths } from "./edit-selection.ts";
import { editsByMoment } from "./edit-walk.ts";
import type { FileSystem } from "./file-system.ts";
import type { Judgement } from "./judge.ts";
import { promptBehind } from "./prompt-behind.ts";
import type { SearchRequest } from "./request.ts";
import type { EditHit } from "./results.ts";
import type { SearchRun } from "./search-run.ts";
import { revertedMessages, rootOf } from "./session-hit.ts";
import { type Found, prepareSearch, type SessionSearch } from "./session-search.ts";

/** Sessions up to which edits are taken session by session instead of from all edits by time. */
const FEW_SESSIONS = 100;

/** Newest first. A fork's copies of edits that are listed anyway are left out. */
export async function searchEdits(run: SearchRun, request: SearchRequest, files: FileSystem): Promise<Found<EditHit>> {
  const search = await prepareSearch(run, request, files, { findPlaces: true, purpose: "edits" });
  const { scope, turn, facts, plan } = search;
  const history = createEditHistory(run, scope, turn);
  const judgements = createJudgements(run, search);
  const hits: EditHit[] = [];
  for await (const moment of editsByMoment(run, await editSources(search), request.date ?? ALL_TIME)) {
    const listed: { edit: EditRow; session: SessionRow }[] = [];
    for (const edit of moment) {
      if (edit.messageAt >= turn.startIn(edit.sessionKey)) continue;
      const judgement = await judgements(edit.sessionKey);
      if (judgement === null) continue;
      if (!(await isSelected(edit.path, selectPaths(plan, judgement.known), facts.matcher))) continue;
      listed.push({ edit, session: judgement.session });
    }
    for (const { edit, session } of history.withoutCopies(listed)) {
      if (hits.length === request.limit) return { hits, more: true, notes: scope.notes };
      hits.push({
        sessionId: session.id,
        source: session.source,
        sessionTitle: session.title,
        projectId: session.projectId,
        directory: session.directory,
        rootId: rootOf(run.reader, session),
        messageId: edit.messageId,
        tool: edit.tool,
        time: edit.editedAt,
        path: edit.path,
        prompt: promptBehind(run.reader, edit),
        firstEdit: await history.isFirst(edit),
        reverted: revertedMessages(run.reader, session)({ messageId: edit.messageId, createdAt: edit.messageAt }),
      });
      await run.pause();
    }
  }
  return { hits, more: false, notes: scope.notes };
}

/** Where the edits can be: those of the files asked for, those of a few sessions, or all. */
async function editSources({ plan, facts, source }: SessionSearch): Promise<readonly EditSource[]> {
  const paths = requiredPaths(plan);
  if (paths !== null) {
    const names = new Set([...paths].flatMap((index) => facts.matcher(index)?.names ?? []));
    return [...names].map((name) => ({ name, sessionKey: null }));
  }
  const sessions = await source.bound();
  if (sessions !== null && sessions.size <= FEW_SESSIONS) {
    return [...sessions].map((sessionKey) => ({ name: null, sessionKey }));
  }
  return [{ name: null, sessionKey: null }];
}

/** Judges each session once. */
function createJudgements(
  run: SearchRun,
  { judge, scope }: SessionSearch,
): (sessionKey: number) => Promise<Judgement | null> {
  const judged = new Map<number, Judgement | null>();
  return async (sessionKey) => {
    const known = judged.get(sessionKey);
    if (known !== undefined) return known;
    const session = run.reader.sessions.byKeys([sessionKey])[0];
    let judgement: Judgement | null = null;
    if (session !== undefined && scope.includes(session)) {
      await judge.prepare([session]);
      judgement = await judge.judge(session);
    }
    judged.set(sessionKey, judgement);
    return judgement;
  };
}
