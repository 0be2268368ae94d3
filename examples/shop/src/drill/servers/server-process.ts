import { type Guard, startGuard } from '@trpc-once/local-services';
import { type Program, startProgram } from '../program.js';
import type { AnswerTally } from './answer-tally.js';
import type { ServerMessage } from './server-program.js';

const program = new URL('./server-program.ts', import.meta.url);

export interface ServerProcessOptions {
  readonly env: Readonly<Record<string, string>>;
  readonly tally: AnswerTally;
  readonly onFailure: (error: Error) => void;
}

/** A server that can be killed and started again, at another address each time: running → killed → running … */
export class ServerProcess implements AsyncDisposable {
  readonly #options: ServerProcessOptions;
  readonly #guard: Guard = startGuard({ signal: 'KILL' });
  #running: Program<Extract<ServerMessage, { type: 'ready' }>> | undefined;

  constructor(options: ServerProcessOptions) {
    this.#options = options;
  }

  /** Where it answers, or answered last. */
  get url(): string {
    return this.#running?.ready.url ?? '';
  }

  async start(): Promise<void> {
    const { env, tally, onFailure } = this.#options;
    const started = await startProgram<ServerMessage>(program, {
      order: {},
      env,
      guard: this.#guard,
      onMessage: (message) => {
        if (message.type === 'event') tally.count(message.event);
      },
    });
    this.#running = started;
    void started.ended.then(({ asked, how }) => {
      if (!asked) onFailure(new Error(`a server of the shop ended by itself: ${how}`));
    });
  }

  async kill(): Promise<void> {
    await this.#running?.kill();
  }

  async stop(): Promise<void> {
    await this.#running?.stop();
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#guard.release();
  }
}
