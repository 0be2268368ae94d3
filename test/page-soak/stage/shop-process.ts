import { freePort } from '@trpc-once/local-services';
import { type Program, spawnProgram } from '../../resources/index.js';

const program = new URL('./shop-program.ts', import.meta.url);

export interface ShopProcessOptions {
  /** The built page. */
  readonly folder: string;
  readonly databaseUrl: string;
  readonly redisUrl: string;
}

/** The shop's server: down → running → down, always on the same port. */
export class ShopProcess implements AsyncDisposable {
  readonly port: number;
  readonly #options: ShopProcessOptions;
  #program: Program<string> | undefined;

  private constructor(options: ShopProcessOptions, port: number) {
    this.#options = options;
    this.port = port;
  }

  static async start(options: ShopProcessOptions): Promise<ShopProcess> {
    const shop = new ShopProcess(options, await freePort());
    await shop.start();
    return shop;
  }

  async start(): Promise<void> {
    const { folder, databaseUrl, redisUrl } = this.#options;
    this.#program = await spawnProgram<string>(program, {
      args: [folder, String(this.port)],
      env: { DATABASE_URL: databaseUrl, REDIS_URL: redisUrl },
    });
  }

  /** `kill -9`. */
  async kill(): Promise<void> {
    await this.#program?.[Symbol.asyncDispose]();
    this.#program = undefined;
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await this.kill();
  }
}
