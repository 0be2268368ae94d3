import { expect, test } from 'vitest';
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
