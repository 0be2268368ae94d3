import { mkdtempSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Guard, startGuard } from '@trpc-once/local-services';
import { type Program, startProgram } from '../program.js';
import type { ClientMessage, ClientOrder } from './client-program.js';
import { readJournal } from './journal.js';
import type { Told } from './told.js';

const program = new URL('./client-program.ts', import.meta.url);

export interface ClientProcessOptions {
  readonly order: Omit<ClientOrder, 'outbox' | 'journal'>;
  readonly onTold: (reference: string) => void;
  readonly onFailure: (error: Error) => void;
}

/** A client that can be killed and started again over the same files: running → killed → running → … → done. */
export class ClientProcess implements AsyncDisposable {
  readonly #options: ClientProcessOptions;
  readonly #directory = mkdtempSync(join(tmpdir(), 'trpc-once-drill-'));
  readonly #guard: Guard = startGuard({ signal: 'KILL', directory: this.#directory });
  readonly #journal = join(this.#directory, 'journal');
  #running: Program<Extract<ClientMessage, { type: 'ready' }>> | undefined;

  constructor(options: ClientProcessOptions) {
    this.#options = options;
  }

  /** @returns how many operations it found in its outbox */
  async start(): Promise<number> {
    const { order, onTold, onFailure } = this.#options;
    const started = await startProgram<ClientMessage>(program, {
      order: { ...order, outbox: join(this.#directory, 'outbox'), journal: this.#journal },
      guard: this.#guard,
      onMessage: (message) => {
        if (message.type === 'told') onTold(message.reference);
      },
    });
    this.#running = started;
    void started.ended.then(({ asked, code, how }) => {
      if (!asked && code !== 0) onFailure(new Error(`a client ended by itself: ${how}`));
    });
    return started.ready.pending;
  }

  async kill(): Promise<void> {
    await this.#running?.kill();
  }

  /** What it wrote down, over all its lives. */
  told(): readonly Told[] {
    return readJournal(this.#journal);
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
    await this.#guard.release();
  }
}
