import { type DeclaredErrors, defineContract, procedure } from '@trpc-once/contract';
import { z } from 'zod';

// #region readme
// idempotent-paths.ts — for both sides: only what is idempotent, under the paths it has in your router, and no schemas
export const placeErrors = {
  OUT_OF_STOCK: { code: 'CONFLICT', data: z.object({ sku: z.string() }) },
} as const satisfies DeclaredErrors;
export const retentionMs = 86_400_000; // the default; said twice, so that both sides surely mean the same
export const idempotentPaths = defineContract({
  orders: { place: procedure.errors(placeErrors).idempotent({ retentionMs }).mutation() },
});
// #endregion
