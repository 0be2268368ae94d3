import type { TcpProxy } from '@trpc-once/faulty-network';
import { type Program, spawnProgram } from '../../resources/spawn-program.js';
import type { EventCounts, ServerOrder } from '../bank/server-program.js';
import { ANSWER_BOUND_MS } from '../load/exchange.js';
import type { Findings } from '../report/findings.js';

const program = new URL('../bank/server-program.ts', import.meta.url);

export interface ServerLines {
  /** Where clients come in: the same address whichever process is behind it. */
  readonly door: TcpProxy;
  readonly postgres: TcpProxy;
  readonly redis: TcpProxy;
}

export interface SoakServerOptions {
  readonly order: Omit<ServerOrder, 'databaseUrl' | 'redisUrl'>;
  readonly databaseUrl: string;
  readonly redisUrl: string;
  readonly lines: ServerLines;
  readonly findings: Findings;
  readonly onEvents: (counts: EventCounts) => void;
}

/** How long an instance that was asked to end may take over the calls that are inside it. */
const STOP_BOUND_MS = ANSWER_BOUND_MS;

/** One server instance and its lines: down → running ⇄ frozen; running or frozen → down. */
export class SoakServer implements AsyncDisposable {
  readonly lines: ServerLines;
  readonly #options: SoakServerOptions;
  #program: Program<{ port: number }> | undefined;
  /** Under way, or over: who ends a server while it starts has to end what comes of that. */
  #starting: Promise<void> = Promise.resolve();

  constructor(options: SoakServerOptions) {
    this.#options = options;
    this.lines = options.lines;
  }

  get url(): string {
    return `http://127.0.0.1:${this.lines.door.port}`;
  }

  start(): Promise<void> {
    this.#starting = this.#start();
    return this.#starting;
  }

  async #start(): Promise<void> {
    const { order, databaseUrl, redisUrl } = this.#options;
    const own: ServerOrder = {
      ...order,
      databaseUrl: through(this.lines.postgres, databaseUrl),
      redisUrl: through(this.lines.redis, redisUrl),
    };
    const started = await spawnProgram<{ port: number }>(program, { args: [JSON.stringify(own)] });
    this.#program = started;
    this.lines.door.setUpstream({ port: started.ready.port });
    void this.#listen(started);
    void this.#watch(started);
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    await this.#starting.catch(() => {});
    const program = this.#program;
    this.#program = undefined;
    await program?.[Symbol.asyncDispose]();
  }

  /** Asks it to end as a deployment does. */
  async stop(): Promise<void> {
    const program = this.#program;
    if (!program) return;
    this.#program = undefined;
    const late = setTimeout(() => {
      this.#options.findings.add(
        'server',
        `a server that was asked to end had not after ${STOP_BOUND_MS} ms`,
      );
      void program.kill();
    }, STOP_BOUND_MS);
    const exit = await program.stop();
    clearTimeout(late);
    if (exit.code !== 0 && exit.signal !== 'SIGKILL')
      this.#options.findings.add('server', `a server that was asked to end failed:\n${program.output()}`);
    await program[Symbol.asyncDispose]();
  }

  pause(): void {
    this.#program?.pause();
  }

  resume(): void {
    this.#program?.resume();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }

  async #listen(program: Program<unknown>): Promise<void> {
    const { onEvents, findings } = this.#options;
    const each = async <T>(name: string, hear: (content: T) => void): Promise<void> => {
      for (;;) hear(await program.hear<T>(name, 86_400_000));
    };
    await Promise.allSettled([
      each('events', onEvents),
      each<string>('fault', (error) =>
        findings.add('server', `a server reported a fault of its own:\n${error}`),
      ),
    ]);
  }

  /** It may end when we end it, and else never. */
  async #watch(program: Program<unknown>): Promise<void> {
    const { code, signal } = await program.exited;
    if (program === this.#program)
      this.#options.findings.add(
        'server',
        `a server ended by itself with ${code ?? signal}:\n${program.output()}`,
      );
  }
}

function through(line: TcpProxy, url: string): string {
  return Object.assign(new URL(url), { hostname: line.host, port: String(line.port) }).href;
}
