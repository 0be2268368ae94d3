/** Runs what concerns one id in the order it was asked for, and different ids side by side. */
export type Turns = <T>(id: string, act: () => T | Promise<T>) => Promise<T>;

export function turns(): Turns {
  const last = new Map<string, Promise<unknown>>();
  return (id, act) => {
    const turn = Promise.resolve(last.get(id)).then(act);
    const over = turn
      .catch(() => {})
      .then(() => {
        if (last.get(id) === over) last.delete(id);
      });
    last.set(id, over);
    return turn;
  };
}
