const MASK_64 = 0xffff_ffff_ffff_ffffn;

/** FNV-1a, 64 bit (Fowler, Noll and Vo; draft-eastlake-fnv): turns any text into one number to start from. */
export function fnv1a(text: string): bigint {
  let state = 0xcbf2_9ce4_8422_2325n;
  for (const byte of new TextEncoder().encode(text)) {
    state = ((state ^ BigInt(byte)) * 0x0000_0100_0000_01b3n) & MASK_64;
  }
  return state;
}

/**
 * SplitMix64: Steele, Lea and Flood, "Fast splittable pseudorandom number generators", OOPSLA 2014; constants from
 * Vigna's public-domain reference. Chosen because near-equal starting points ("attempt 1", "attempt 2") give
 * unrelated numbers from the first one on, which plain xorshift or LCG do not.
 */
export function splitMix64(start: bigint): () => bigint {
  let state = start & MASK_64;
  return () => {
    state = (state + 0x9e37_79b9_7f4a_7c15n) & MASK_64;
    let mixed = ((state ^ (state >> 30n)) * 0xbf58_476d_1ce4_e5b9n) & MASK_64;
    mixed = ((mixed ^ (mixed >> 27n)) * 0x94d0_49bb_1331_11ebn) & MASK_64;
    return mixed ^ (mixed >> 31n);
  };
}

/**
 * Numbers in [0, 1) that depend on `parts` alone, the same on every machine.
 * The parts are written as JSON first, so that `['a', 'bc']` and `['ab', 'c']` start differently.
 */
export function randomFrom(...parts: readonly (string | number)[]): () => number {
  const next = splitMix64(fnv1a(JSON.stringify(parts)));
  return () => Number(next() >> 11n) / 2 ** 53;
}
