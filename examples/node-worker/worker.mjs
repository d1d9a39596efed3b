// A worker for CAESAR in another language: dice, in Node 18 or later, without packages.
// Written from docs/legion-protocol.md. Run it with the settings that
// `caesar legion new-worker --name dice` makes:  set -a; . ./dice.env; node worker.mjs
import { createHash, createPrivateKey, createPublicKey, randomBytes, randomInt, sign, verify } from "node:crypto";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";

const setting = (name, otherwise) => process.env[`CAESAR_LEGION__${name}`] || otherwise;
const WORKER_ID = setting("WORKER_ID", "dice");
const TAG = "caesar-legion/1", VALID_S = 30, SKEW_S = 60, MAX_BODY = 262_144, MAX_NONCES = 10_000;
const EPOCH = randomBytes(18).toString("base64url"); // another at every start
const STARTED = Date.now() / 1000;
const SPEC = {
  name: "dice", title: "Dice", description: "Throw a die with 2 to 100 sides (6 if not given).",
  input_schema: { type: "object", properties: { sides: { type: "integer", minimum: 2, maximum: 100 } }, additionalProperties: false },
  annotations: { read_only: true, destructive: false, idempotent: false, open_world: false, private_data: false, untrusted_result: false },
  sentences: { en: ["(throw|roll) the dice [with {sides} sides]"], de: ["wirf den Würfel [mit {sides} Seiten]"] },
};
const SAY = { en: (n) => `You threw a ${n}.`, de: (n) => `Du hast eine ${n} geworfen.` };

// Keys: base32 of a prefix, 32 bytes and CRC-16/XMODEM in little-endian order.
const ALPHABET = "ABCDEFGHIJKLMNOPQRSTUVWXYZ234567", PUBLIC = [160], SEED = [149, 0];
function crc16(bytes) {
  let crc = 0;
  for (const byte of bytes) {
    crc ^= byte << 8;
    for (let bit = 0; bit < 8; bit++) crc = ((crc << 1) ^ (crc & 0x8000 ? 0x1021 : 0)) & 0xffff;
  }
  return Buffer.from([crc & 255, crc >> 8]);
}
function encode(prefix, raw) {
  const body = Buffer.from([...prefix, ...raw]);
  const bits = [...body, ...crc16(body)].map((byte) => byte.toString(2).padStart(8, "0")).join("");
  return bits.match(/.{1,5}/g).map((five) => ALPHABET[parseInt(five.padEnd(5, "0"), 2)]).join("");
}
function decode(prefix, text) {
  const bits = [...text].map((char) => ALPHABET.indexOf(char).toString(2).padStart(5, "0")).join("");
  const raw = Buffer.from((bits.match(/[01]{8}/g) ?? []).map((byte) => parseInt(byte, 2))).subarray(prefix.length, prefix.length + 32);
  if (raw.length !== 32 || encode(prefix, raw) !== text) throw new Error("not a key, or mistyped");
  return raw;
}
const seed = decode(SEED, readFileSync(setting("SEED_PATH"), "utf8").trim());
const privateKey = createPrivateKey({ key: Buffer.concat([Buffer.from("302e020100300506032b657004220420", "hex"), seed]), format: "der", type: "pkcs8" });
const publicText = encode(PUBLIC, Buffer.from(createPublicKey(privateKey).export({ format: "jwk" }).x, "base64url"));
const HOME = setting("HA_PUBLIC_KEY");
const homeKey = createPublicKey({ key: { kty: "OKP", crv: "Ed25519", x: decode(PUBLIC, HOME).toString("base64url") }, format: "jwk" });

// Signatures (RFC 9421) with a digest of the body (RFC 9530).
const digest = (body) => `sha-256=:${createHash("sha256").update(body).digest("base64")}:`;
const cover = (lines) => `(${lines.map(([name]) => name).join(" ")})`;
const base = (lines, params) => Buffer.from([...lines, ['"@signature-params"', params]].map(([name, value]) => `${name}: ${value}`).join("\n"));
const nonces = new Map(); // of messages that were accepted, with the time to forget them

class Refused extends Error {
  constructor(status, code, words = code) { super(words); Object.assign(this, { status, code }); }
}
function only(request, name) {
  const values = request.headersDistinct[name] ?? [];
  if (values.length !== 1) throw new Refused(401, `${name} must be there once`);
  return values[0];
}
function authenticate(request) { // by the head alone: a stranger's body is not read
  request.uri = `http://${only(request, "host")}${request.url}`;
  const lines = [['"@method"', request.method], ['"@target-uri"', request.uri]];
  if (request.method !== "GET") for (const name of ["content-type", "caesar-epoch", "content-digest"]) lines.push([`"${name}"`, only(request, name)]);
  const params = /^caesar=(.{1,600})$/.exec(only(request, "signature-input"))?.[1] ?? "";
  const proof = /^caesar=:([A-Za-z0-9+/]{86}==):$/.exec(only(request, "signature"))?.[1] ?? "";
  const value = (name) => new RegExp(`;${name}=(?:"([^"]*)"|(\\d+))(?=;|$)`).exec(params)?.slice(1).find(Boolean);
  const now = Date.now() / 1000, created = Number(value("created")), expires = Number(value("expires")), nonce = value("nonce") ?? "";
  if (!params.startsWith(`${cover(lines)};`) || value("tag") !== TAG || value("keyid") !== HOME) throw new Refused(401, "not for us");
  if (!verify(null, base(lines, params), homeKey, Buffer.from(proof, "base64"))) throw new Refused(401, "not signed by our house");
  const lasts = expires - created;
  if (!(lasts >= 0 && lasts <= VALID_S && created - SKEW_S <= now && now <= expires + SKEW_S)) throw new Refused(401, "too old, or from the future");
  if (request.method !== "GET" && request.headers["caesar-epoch"] !== EPOCH) throw new Refused(401, "for another start of this process");
  request.known = true; // from here on refusals are signed
  for (const [old, until] of nonces) if (until < now) nonces.delete(old);
  if (nonces.has(nonce) || !/^[\w-]{16,64}$/.test(nonce)) throw new Refused(401, "sent before");
  if (nonces.size >= MAX_NONCES) throw new Refused(429, "busy");
  nonces.set(nonce, now + VALID_S + 2 * SKEW_S);
}
async function bodyOf(request) {
  const chunks = [];
  let size = 0;
  for await (const chunk of request) {
    if ((size += chunk.length) > MAX_BODY) throw new Refused(413, "too_large");
    chunks.push(chunk);
  }
  const body = Buffer.concat(chunks);
  if (request.method === "GET" ? size : digest(body) !== request.headers["content-digest"]) throw new Refused(401, "not the body that was signed");
  return body;
}
const done = new Map(); // replies by task id
function answer(request, body) {
  const stamp = { protocol: 1, worker_id: WORKER_ID };
  if (request.method === "GET" && request.url === "/v1/hello")
    return { ...stamp, version: "1.0", epoch: EPOCH, tools: [SPEC], server_time: Date.now() / 1000, started_at: STARTED, inflight: 0, last_error: null };
  if (request.method === "POST" && request.url === "/v1/goodbye") return stamp;
  if (request.method !== "POST" || request.url !== "/v1/dispatch/tool.dice") throw new Refused(404, "no_capability");
  let task;
  try { task = JSON.parse(body); } catch { throw new Refused(400, "bad_request", "not JSON"); }
  if (task?.protocol !== 1 || task.tool !== SPEC.name || typeof task.input !== "object" || typeof task.task_id !== "string")
    throw new Refused(400, "bad_request");
  const content = JSON.stringify(task.input), kept = done.get(task.task_id);
  if (kept && kept.content !== content) throw new Refused(409, "conflict", "this task id was used for another task");
  if (kept) return kept.reply;
  const reply = { ...stamp, task_id: task.task_id, duration_ms: 0, ...thrown(task.input?.sides ?? 6, task.hints?.language) };
  done.set(task.task_id, { content, reply }); // a task is done once, however often it is asked for
  setTimeout(() => done.delete(task.task_id), 60_000).unref();
  return reply;
}
function thrown(sides, language) {
  if (!Number.isInteger(sides) || sides < 2 || sides > 100)
    return { success: false, result: null, error: "A die has 2 to 100 sides.", code: "invalid_input", retryable: false };
  const value = randomInt(sides) + 1;
  return { success: true, result: { value, sides, say: (SAY[language] ?? SAY.en)(value) }, error: null };
}
function send(request, response, status, message) {
  if (status === 401) return response.writeHead(401, { connection: "close" }).end(); // one answer for all strangers
  const body = Buffer.from(JSON.stringify(message)), created = Math.floor(Date.now() / 1000);
  const lines = [['"@status"', status], ['"content-type"', "application/json"], ['"content-digest"', digest(body)],
    ['"@method";req', request.method], ['"@target-uri";req', request.uri], ['"signature";req', request.headers.signature]];
  const params = `${cover(lines)};created=${created};keyid="${publicText}";alg="ed25519";expires=${created + VALID_S};tag="${TAG}"`;
  const proof = sign(null, base(lines, params), privateKey).toString("base64");
  response.writeHead(status, { "content-type": "application/json", "content-length": body.length, "content-digest": digest(body),
    "signature-input": `caesar=${params}`, signature: `caesar=:${proof}:` }).end(body);
}
const server = createServer({ requestTimeout: 10_000, headersTimeout: 5_000, keepAliveTimeout: 75_000 }, async (request, response) => {
  try {
    authenticate(request);
    send(request, response, 200, answer(request, await bodyOf(request)));
  } catch (error) {
    const { status, code, message } = error instanceof Refused ? error : new Refused(500, "worker_error");
    if (status >= 500) console.error(error);
    send(request, response, request.known ? status : 401, { protocol: 1, code, error: message });
  }
});
server.listen(Number(setting("LISTEN_PORT", "8765")), setting("LISTEN_HOST", "0.0.0.0"), () =>
  console.log(`${WORKER_ID} listens on port ${server.address().port}, its key is ${publicText}`));
