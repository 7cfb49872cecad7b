/** SDK reader: the product's own reader of OpenCode 1.18 over HTTP, for tests outside the host's process. */

import { createOpencodeClient } from "@opencode-ai/sdk";

import type { HostReader } from "../../src/host/host.ts";
import type { RawClient } from "../../src/host/v1/raw-client.ts";
import { createRawClient } from "../../src/host/v1/raw-client.ts";
import { createReader } from "../../src/host/v1/reader.ts";
import { silentLogger } from "../../src/runtime/logger.ts";
import type { RealHost } from "./real-host.ts";

export function rawClientOf(host: RealHost): RawClient {
  return createRawClient(createOpencodeClient({ baseUrl: host.url, directory: host.directory }));
}

export function readerOf(host: RealHost): HostReader {
  return createReader(rawClientOf(host), silentLogger);
}
