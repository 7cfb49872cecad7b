/** Loopback process: asks a server of its own through `loopbackFetch`, and prints what came back and what it left behind. */

import { createServer } from "node:http";

import { loopbackFetch } from "../../../src/host/v2/loopback-fetch.ts";

const server = createServer((request, response) =>
  response.end(`${String(request.url)} ${String(request.headers["x"])}`),
);
await new Promise<void>((resolve) => {
  server.listen(0, "127.0.0.1", resolve);
});
const address = server.address();
const port = typeof address === "object" && address !== null ? address.port : 0;
const before = JSON.stringify(process.env);
const answer = await loopbackFetch(`http://127.0.0.1:${String(port)}/api?limit=1`, { headers: { x: "y" } }).then(
  (response) => response.text(),
  (error: unknown) => `failed: ${String(error)}`,
);
server.closeAllConnections();
server.close();
process.stdout.write(JSON.stringify({ answer, sameEnvironment: JSON.stringify(process.env) === before }));
