import type { Foundation } from '../foundation.js';
import type { HandOver } from '../hand-over/hand-over.js';
import { Latest } from '../hand-over/latest.js';
import type { Waiters } from '../hand-over/waiters.js';
import { knownSender } from '../known-sender.js';
import { type Operation, operationId } from '../operation/operation.js';
import type { Others } from '../others/others.js';
import { notOfThisApp } from '../runs/hold-back.js';
import type { Lanes } from '../runs/lanes.js';
import type { Runs } from '../runs/runs.js';
import type { StoredOperations } from '../store/stored-operations.js';
import type { Watch } from '../waking/watch.js';
import { decodeNews, type News } from './news.js';

/** What it needs of the outbox. */
export interface HearingNeeds extends Foundation {
  readonly waiters: Waiters;
  readonly store: StoredOperations;
  readonly handOver: HandOver;
  readonly lanes: Lanes;
  readonly runs: Runs;
  readonly watch: Pick<Watch, 'lead'>;
}

/**
 * Keeps up with the others. Whoever leads follows what they do, so that it goes on where one of them dies.
 * @returns what to do at their news, and, without any, when something may have changed
 */
export function hearing(
  others: Pick<Others, 'leads' | 'lostLead'>,
  outbox: HearingNeeds,
): (news: string | undefined) => void {
  const { listeners, closing } = outbox;
  /** When those were made that ended lately: late news bring none of them back, whose key may be another's by now. */
  const ended = new Latest<number>();
  const off = listeners.add(({ type, operation }) => {
    if (type === 'delivered' || type === 'dismissed' || type === 'gone')
      ended.set(operationId(operation), operation.createdAt);
  });
  closing.on(off);

  const follow = (operation: Operation) => {
    const { runs, onSettled } = outbox;
    const { state, nextAttemptAt } = operation;
    const open =
      state === 'persisted' ||
      state === 'sending' ||
      (state === 'waiting' && nextAttemptAt !== undefined) ||
      (state === 'settled' && onSettled !== undefined);
    const isOurs = operation.owner === knownSender(outbox) && !notOfThisApp(operation, outbox);
    if (!isOurs || !others.leads || !open || runs.get(operationId(operation))) return;
    void runs.start(operation, { follows: true });
  };

  /**
   * Takes over what another tab says it did. Said again it is for those who have read storage since they heard of it, or
   * before they could, and found it as it was before; for everybody else it is no news.
   */
  const adopt = ([type, operation, again]: News) => {
    const { store } = outbox;
    const id = operationId(operation);
    const known = store.get(id);
    store.touch(id);
    if (type === 'delivered' || type === 'dismissed') {
      if (known || !again) store.gone(operation, type);
    } else if (
      operation.createdAt > (ended.get(id) ?? 0) &&
      (!again || known?.state !== type || known?.attempts !== operation.attempts)
    ) {
      store.heard(operation);
    }
  };

  return (news) => {
    const { store, handOver, waiters, runs } = outbox;
    if (news === undefined) {
      if (others.lostLead) outbox.watch.lead();
      else
        store
          .load()
          .then(() => store.of(knownSender(outbox)).forEach(follow))
          .catch(() => {});
      return;
    }
    const heard = decodeNews(news);
    if (!heard) return;
    const [type, operation] = heard;
    const id = operationId(operation);
    const run = runs.get(id);
    // Late, of an operation whose key is used again: nobody here waits for that one.
    if (operation.createdAt < (store.get(id) ?? run?.operation ?? operation).createdAt) return;
    if (type === 'delivered' || type === 'dismissed') {
      const ending = type === 'delivered' && handOver.endingOf(operation);
      adopt(heard);
      if (ending) waiters.end(id, ending);
      run?.hurry.ring();
      return;
    }
    // Late, if it is just being changed here; else they say it again.
    if (runs.isAhead(id) || store.isChanging(id)) return;
    adopt(heard);
    // Whoever waits here and asks for nothing itself still gets it, though nobody there wants it.
    if (type === 'settled' && waiters.has(id)) void runs.start(operation);
    else follow(operation);
  };
}
