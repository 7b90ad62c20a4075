/** Pauses in milliseconds while another process finishes what it is in the middle of: about a quarter of a second. */
export const PATIENCE_MS: readonly number[] = [1, 1, 2, 4, 8, 16, 32, 64, 128]

/** Wait. */
export async function wait(milliseconds: number): Promise<void> {
  await new Promise((resolve) => setTimeout(resolve, milliseconds))
}
