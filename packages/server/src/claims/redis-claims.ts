import { createHash } from 'node:crypto';
import { requireKnown } from '../options/require-known.js';
import type { OperationId } from '../outcome/operation-id.js';
import type { Outcome } from '../outcome/outcome.js';
import type { ClaimReply, ClaimStore } from './claim-store.js';
import { claimLua } from './lua/claim.js';
import { releaseLua } from './lua/release.js';
import { renewLua } from './lua/renew.js';
import { type ScriptClient, script } from './lua/script.js';
import { settleLua } from './lua/settle.js';
import { watchLua } from './lua/watch.js';
import { type NewsClient, redisNews } from './redis-news.js';

export interface RedisClaimsOptions {
  /**
   * Put before every Redis key. Give each application its own where several share one Redis.
   * @default 'once:'
   */
  readonly prefix?: string;
  /**
   * Outcomes longer than this, in characters and with their headers, are not kept in Redis: the entry then only says
   * that the operation settled, and a replay reads the record.
   * @default 65_536
   */
  readonly maxBodyLength?: number;
  /**
   * The longest a settled outcome is remembered in Redis, in milliseconds, however long its retention is: replays come
   * soon or hardly ever, and the record answers the late ones.
   * @default 3_600_000 (one hour)
   */
  readonly maxRetainMs?: number;
}

const known = {
  prefix: true,
  maxBodyLength: true,
  maxRetainMs: true,
} satisfies Record<keyof RedisClaimsOptions, true>;

const claim = script(claimLua);
const renew = script(renewLua);
const release = script(releaseLua);
const settle = script(settleLua);
const watch = script(watchLua);

/**
 * Claims in Redis or Valkey, each operation one hash under one key, so that a cluster needs one slot for it.
 * The client stays yours: it is neither configured nor closed here. Where calls wait for outcomes (`whenInProgress`), one
 * more connection is opened to hear the news, since Redis wants a connection of its own for that.
 *
 * @throws TypeError when it is no client, or an option is unknown.
 * @example
 * ```ts
 * createOnce({ claims: redisClaims(new Redis(process.env.REDIS_URL)), ... });
 * ```
 */
export function redisClaims(client: ScriptClient & NewsClient, options: RedisClaimsOptions = {}): ClaimStore {
  if (typeof client?.evalsha !== 'function')
    throw new TypeError('redisClaims(redis) needs an ioredis client: new Redis(url), or a Cluster');
  requireKnown('redisClaims', options, known);
  const { prefix = 'once:', maxBodyLength = 65_536, maxRetainMs = 3_600_000 } = options;
  const keyOf = (id: OperationId): string => prefix + digestOf(id);
  const news = redisNews(client);
  return {
    async claim({ id, fingerprint, ownerToken, leaseMs }) {
      return readReply(await claim(client, keyOf(id), fingerprint, ownerToken, leaseMs));
    },
    async renew({ id, fingerprint, ownerToken, leaseMs }) {
      const reply = await renew(client, keyOf(id), fingerprint, ownerToken, leaseMs);
      return reply === 'RENEWED' ? 'RENEWED' : 'LOST';
    },
    async release({ id, ownerToken }) {
      await release(client, keyOf(id), ownerToken);
    },
    async settle({ id, fingerprint, outcome, retainMs }) {
      const code = outcome.status === 'FAILED' ? outcome.code : '';
      // Whole, or PEXPIRE refuses it and leaves an entry without an end: what is left of a retention is no whole number.
      const keepMs = Math.max(1, Math.floor(Math.min(retainMs, maxRetainMs)));
      const { headers = '', body } = outcome;
      const kept = body.length + headers.length <= maxBodyLength ? [headers, body] : [''];
      await settle(client, keyOf(id), fingerprint, outcome.status, code, keepMs, ...kept);
    },
    async watch(id, onNews) {
      // Heard before it is asked for, so that nothing falls in between.
      const stop = await news.listen(keyOf(id), onNews);
      await watch(client, keyOf(id), keyOf(id));
      return stop;
    },
    close: () => news.close(),
  };
}

/** Injective for scope and key (the length tells where one ends), of one size, and silent about who it is. */
function digestOf({ scope, key }: OperationId): string {
  return createHash('sha256').update(`${scope.length}:${scope}${key}`).digest('base64url');
}

function readReply(reply: unknown): ClaimReply {
  const [word, first, second, third] = reply as [string, ...(string | null)[]];
  switch (word) {
    case 'ACQUIRED':
      return { kind: 'ACQUIRED' };
    case 'IN_PROGRESS':
      return { kind: 'IN_PROGRESS', leftMs: Math.max(0, Number(first)), ageMs: Math.max(0, Number(second)) };
    case 'MISMATCH':
      return { kind: 'MISMATCH', fingerprint: String(first) };
    case 'COMPLETED':
    case 'FAILED':
      return { kind: 'SETTLED', outcome: readOutcome(word, first, second, third) };
    default:
      throw new Error(`claim.lua replied ${JSON.stringify(word)}: another version wrote this entry`);
  }
}

function readOutcome(
  status: Outcome['status'],
  code: string | null | undefined,
  headers: string | null | undefined,
  body: string | null | undefined,
): Outcome | undefined {
  if (body === null || body === undefined) return undefined;
  const rest = { body, ...(headers && { headers }) };
  return status === 'FAILED' ? { status, code: String(code), ...rest } : { status, ...rest };
}
