/** Session lines: how a session is named in every answer. Pure. */

import type { SessionHit } from "../search/results.ts";
import { localMinute } from "./local-time.ts";
import { type Mask, name, pathName, quoted } from "./quote.ts";

/** Two lines: title, id and last activity; directory, project and what is particular about the session. */
export function sessionLines(hit: SessionHit, ordinal: number, mask: Mask): readonly string[] {
  const particular = [
    ...(hit.rootId === null ? [] : [`sub-agent of session ${name(hit.rootId)}`]),
    ...(hit.rootId === null && hit.parentId !== null ? [`sub-agent of session ${name(hit.parentId)}`] : []),
    ...(hit.archived ? ["archived"] : []),
    ...(hit.reverted ? ["partly reverted"] : []),
  ];
  return [
    `${ordinal}. ${titleOf(hit.title, mask)} · session ${name(hit.sessionId)} · last activity ${localMinute(hit.updatedAt)}`,
    `   ${[`in ${pathName(hit.directory)}`, `project ${name(hit.projectId)}`, ...particular].join(" · ")}`,
  ];
}

export function titleOf(title: string, mask: Mask): string {
  return title.trim() === "" ? "(untitled)" : quoted(mask(title));
}
