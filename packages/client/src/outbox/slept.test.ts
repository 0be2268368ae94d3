import { expect, test } from 'vitest';
import { Browser } from '../testing/browser.js';
import { settled } from '../testing/fake-clock.js';
import { amongProcesses } from '../testing/processes.js';
import { call, lost, watched, world } from '../testing/world.js';

/** A process whose holds are lost when a test says so, as after a sleep that was longer than a lease. */
function sleeper(it: ReturnType<typeof world>) {
  let asleep = false;
  const coordination = amongProcesses(it);
  return {
    coordination: {
      ...coordination,
      async hold(name: string, signal: AbortSignal) {
        const hold = await coordination.hold(name, signal);
        return {
          get lost() {
            return asleep || hold.lost;
          },
          release: () => hold.release(),
        };
      },
    },
    async sleep() {
      asleep = true;
      for (const id of [...it.texts.keys()]) if (id.startsWith('lease ')) it.texts.delete(id);
    },
    wake() {
      asleep = false;
    },
  };
}

/** An attempt that a process is asleep over, while another one finds the outcome. */
async function sleptThrough(ms: number, settle: () => void) {
  const it = world();
  const { coordination, sleep, wake } = sleeper(it);
  let end = () => {};
  it.script.push(
    () =>
      new Promise((resolve) => {
        end = () => resolve(lost);
      }),
  );
  const slept = it.open({ coordination, onSettled: undefined });
  const seen = watched(slept.submit(call({ key: 'a' })));
  await it.clock.advance(1_000);
  await sleep();
  const other = it.open({ coordination: amongProcesses(it), onSettled: settle });
  void other.resume();
  await it.clock.advance(ms);
  const found = [...it.texts].find(([id]) => !id.startsWith('lease '))?.[1] ?? '';
  wake();
  end();
  await it.clock.advance(20);
  const after = [...it.texts].find(([id]) => !id.startsWith('lease '))?.[1];
  await it.clock.advance(10_000);
  await Promise.all([slept.close(), other.close()]);
  return { it, seen, found, after };
}

test('a process that slept past its lease does not take back what was handed over meanwhile', async () => {
  // Before it has looked at storage, and after.
  for (const ms of [1_500, 5_000]) {
    const { it, seen, found, after } = await sleptThrough(ms, () => {});
    expect(JSON.parse(found)).toMatchObject({ state: 'settled', deliveredAt: expect.any(Number) });
    expect(after).toBe(found);
    expect(seen.data).toBe('done a');
    expect([it.sent.length, it.effects]).toEqual([2, ['a']]);
  }
});

test('nor an outcome that nobody was handed yet', async () => {
  for (const ms of [1_500, 5_000]) {
    const { it, seen, found } = await sleptThrough(ms, () => {
      throw new Error('not now');
    });
    expect(JSON.parse(found)).toMatchObject({ state: 'settled' });
    expect(seen.data).toBe('done a');
    expect(it.sent.length).toBe(2);
  }
});

/** Every moment of two calls' way into storage, and of a reading between them. */
const moments = Array.from({ length: 30 }, (_, first) =>
  Array.from({ length: 18 }, (_, second) => [first, second] as const),
).flat();

test('whenever a tab is frozen while it stores a call, storage has nothing that the tab does not know of', async () => {
  for (const [first, second] of moments) {
    const it = world();
    const tab = new Browser(it).open();
    const turns = async (count: number) => {
      for (let turn = 0; turn < count; turn += 1) await undefined;
    };
    const seen = watched(tab.outbox.submit(call({ intent: 'one', lane: 'lane' })));
    await turns(first);
    watched(tab.outbox.submit(call({ intent: 'another' })));
    await turns(second);
    tab.freeze();
    await settled();
    const again = watched(tab.outbox.submit(call({ intent: 'one' })));
    tab.wake();
    await it.clock.advance(30_000);
    const when = `frozen after ${first} and ${second} turns`;
    expect([...it.texts.keys()], when).toEqual([]);
    expect(
      it.effects.map((key) => `done ${key}`),
      when,
    ).toContain(again.data);
    if (seen.error) expect(seen.error, when).toMatchObject({ name: 'NotSentError' });
  }
});
