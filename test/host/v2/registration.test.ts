import { mkdir, mkdtemp, rm, writeFile } from "node:fs/promises";
import { homedir, tmpdir } from "node:os";
import { join } from "node:path";

import { afterEach, beforeEach, describe, expect, it } from "vitest";

import {
  findRegistrations,
  parseRegistration,
  registrationName,
  stateFolder,
} from "../../../src/host/v2/registration.ts";

const HONEST = { id: "6f0e", version: "2.0.16", url: "http://127.0.0.1:49374", pid: 4242, password: "secret" };

describe("the registration file", () => {
  it.each([
    [{ XDG_STATE_HOME: "/state" }, "/state/opencode"],
    [{ XDG_STATE_HOME: "" }, join(homedir(), ".local", "state", "opencode")],
    [{}, join(homedir(), ".local", "state", "opencode")],
  ])("lies in the state folder of %j", (environment, folder) => {
    expect(stateFolder(environment)).toBe(folder);
  });

  it.each([
    [null, "service.json"],
    ["latest", "service.json"],
    ["dev", "service.json"],
    ["beta", "service.json"],
    ["next", "service.json"],
    ["local", "service-local.json"],
    ["pr-12", "service-pr-12.json"],
  ])("of channel %s is %s", (channel, name) => {
    expect(registrationName(channel)).toBe(name);
  });

  it.each([
    ["http://127.0.0.1:49374", "http://127.0.0.1:49374"],
    ["http://127.0.0.1:49374/", "http://127.0.0.1:49374"],
    ["http://localhost:49374", "http://localhost:49374"],
    ["http://[::1]:49374", "http://[::1]:49374"],
    ["http://0.0.0.0:49374", "http://127.0.0.1:49374"],
    ["http://[::]:49374", "http://[::1]:49374"],
  ])("with the address %s is reached at %s", (url, reached) => {
    expect(parseRegistration("f", JSON.stringify({ ...HONEST, url }))).toMatchObject({ url: reached, pid: 4242 });
  });

  it.each([
    ["another machine", JSON.stringify({ ...HONEST, url: "http://192.168.0.7:49374" })],
    [
      "a name that only begins like this machine's",
      JSON.stringify({ ...HONEST, url: "http://127.0.0.1.evil.example" }),
    ],
    ["a name", JSON.stringify({ ...HONEST, url: "http://example.com" })],
    ["credentials in the address", JSON.stringify({ ...HONEST, url: "http://a:b@127.0.0.1:1" })],
    ["another protocol", JSON.stringify({ ...HONEST, url: "https://127.0.0.1:1" })],
    ["no address at all", JSON.stringify({ ...HONEST, url: "/tmp/socket" })],
    ["no url", JSON.stringify({ ...HONEST, url: undefined })],
    ["no pid", JSON.stringify({ ...HONEST, pid: "4242" })],
    ["no version", JSON.stringify({ ...HONEST, version: "" })],
    ["no object", "[]"],
    ["half a file", '{"id":"6f0e","ver'],
    ["an empty file", ""],
  ])("with %s is not used, and why is said", (_, text) => {
    expect(parseRegistration("/state/service.json", text)).toEqual({
      file: "/state/service.json",
      trouble: expect.stringContaining("/state/service.json"),
    });
  });
});

describe("the registrations to try", () => {
  let folder: string;

  beforeEach(async () => {
    folder = await mkdtemp(join(tmpdir(), "registration-"));
  });

  afterEach(async () => {
    await rm(folder, { recursive: true, force: true });
  });

  const write = (name: string, content: object) => writeFile(join(folder, name), JSON.stringify(content));
  const namesFor = async (channel: string | null, pid: number) =>
    (await findRegistrations(folder, channel, pid)).map(({ file }) => file.slice(folder.length + 1));

  it("begin with what this process registered, then that of the channel; other channels have other histories", async () => {
    await write("service.json", { ...HONEST, pid: 1 });
    await write("service-local.json", { ...HONEST, pid: 2 });
    await write("service-pr.json", { ...HONEST, pid: 3 });
    await write("services.json", { ...HONEST, pid: 3 });
    await mkdir(join(folder, "service-folder.json"));
    expect(await namesFor("latest", 99)).toEqual(["service.json"]);
    expect(await namesFor("latest", 3)).toEqual(["service-pr.json", "service.json"]);
    expect(await namesFor("local", 99)).toEqual(["service-local.json"]);
    expect(await namesFor("nightly", 99)).toEqual([]);
    expect(await namesFor(null, 1)).toEqual(["service.json"]);
  });

  it("are none in a folder that does not exist", async () => {
    expect(await findRegistrations(join(folder, "nowhere"), null, 1)).toEqual([]);
  });
});
