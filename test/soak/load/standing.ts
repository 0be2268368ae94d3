import type { Conversation } from '../../resources/conversation.js';

/** How a process with clients stands. */
export interface Standing {
  /** Operations that it has begun. */
  readonly began: number;
  /** Those of them that have come to their end. */
  readonly ended: number;
}

/** Counts operations, and tells once a second how they stand. */
export function reporter(to: Conversation) {
  let began = 0;
  let ended = 0;
  const tell = (): void => to.tell('standing', { began, ended } satisfies Standing);
  const timer = setInterval(tell, 1_000);
  return {
    began: () => void began++,
    ended: () => void ended++,
    end() {
      clearInterval(timer);
      tell();
    },
  };
}
