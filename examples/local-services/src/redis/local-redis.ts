import type { Guard } from '../process/guard.js';
import { localService } from '../process/local-service.js';
import { type SingleProcess, singleProcess } from '../process/single-process.js';
import { askRedis } from './ask-redis.js';

/** A Redis that runs on this machine. Started again it is empty, unless it was told to persist. */
export interface LocalRedis extends SingleProcess {
  /** In its URL too. */
  readonly password: string;
}

export interface LocalRedisOptions {
  readonly binary: string;
  readonly directory: string;
  readonly config: string;
  readonly password: string;
  /** Whether it watches over others, as a sentinel, in place of holding data. */
  readonly sentinel: boolean;
  readonly guard: Guard;
}

/** Redis with a configuration that exists; not started yet. */
export function localRedis({ binary, config, password, sentinel, ...rest }: LocalRedisOptions): LocalRedis {
  const service = localService({
    name: 'Redis',
    command: binary,
    args: (port) => [config, '--port', String(port), ...(sentinel ? ['--sentinel'] : [])],
    isReady: (port) => answers(port, password),
    ...rest,
  });
  const urlOf = (port: number) => `redis://:${password}@127.0.0.1:${port}`;
  return Object.assign(singleProcess(service, rest.guard, urlOf), { password });
}

/** Whether our Redis, and not somebody else's, answers there and has loaded its data. */
async function answers(port: number, password: string): Promise<boolean> {
  try {
    return (await askRedis(port, password, 'PING')).includes('+PONG');
  } catch {
    return false;
  }
}
