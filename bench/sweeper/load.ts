import { randomBytes } from 'node:crypto';
import { Agent, request } from 'node:http';

/** Time with calls, in slices. */
export class Slices {
  readonly #tookMs: number[] = [];
  #ms = 0;

  add(tookMs: readonly number[], ms: number): void {
    this.#tookMs.push(...tookMs);
    this.#ms += ms;
  }

  get calls(): number {
    return this.#tookMs.length;
  }

  get perSecond(): number {
    return (this.calls / this.#ms) * 1_000;
  }

  /** How long that share of all calls took at most, in milliseconds. */
  within(share: number): number {
    const sorted = this.#tookMs.toSorted((a, b) => a - b);
    return sorted[Math.floor((sorted.length - 1) * share)] ?? Number.NaN;
  }
}

/** Calls for so long: each of so many callers sends the next call when the one before is answered. */
export async function load(
  urls: readonly string[],
  { callers, forMs, into }: { callers: number; forMs: number; into: Slices },
): Promise<void> {
  const agent = new Agent({ keepAlive: true, maxSockets: callers });
  const took: number[] = [];
  const beganAt = performance.now();
  await Promise.all(
    Array.from({ length: callers }, async (_, n) => {
      while (performance.now() - beganAt < forMs) {
        const sentAt = performance.now();
        await call(urls[n % urls.length] as string, agent);
        took.push(performance.now() - sentAt);
      }
    }),
  );
  into.add(took, performance.now() - beganAt);
  agent.destroy();
}

function call(url: string, agent: Agent): Promise<void> {
  return new Promise((resolve, reject) => {
    const sent = request(url, {
      method: 'POST',
      agent,
      headers: { 'content-type': 'application/json', 'idempotency-key': uuidV7() },
    });
    sent.on('error', reject);
    sent.on('response', (answer) => {
      answer.resume();
      answer.on('end', () =>
        answer.statusCode === 200 ? resolve() : reject(new Error(`a call was answered ${answer.statusCode}`)),
      );
    });
    sent.end('{"sku":"tea","quantity":1}');
  });
}

/** As our client makes them: rows of one hour share pages. */
function uuidV7(): string {
  const ms = Date.now().toString(16).padStart(12, '0');
  const random = randomBytes(9).toString('hex');
  return `${ms.slice(0, 8)}-${ms.slice(8)}-7${random.slice(0, 3)}-8${random.slice(3, 6)}-${random.slice(6, 18)}`;
}
