/** Numbers in [0, 1), the same for the same seed. */
export type Random = () => number;

/** One of all, each as likely as the next. */
export function pick<T>(all: readonly T[], random: Random): T {
  return all[Math.floor(random() * all.length)] as T;
}

/** One of all, each as likely as its weight says. */
export function drawByWeight<T>(all: readonly T[], weightOf: (one: T) => number, random: Random): T {
  let left = random() * all.reduce((sum, one) => sum + weightOf(one), 0);
  const found = all.find((one) => {
    left -= weightOf(one);
    return left < 0;
  });
  return found ?? (all[0] as T);
}

export function between([least, most]: readonly [number, number], random: Random): number {
  return least + random() * (most - least);
}
