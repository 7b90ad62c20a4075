/** Let others have a turn of the event loop. */
export async function turn(): Promise<void> {
  await new Promise<void>((resolve) => setImmediate(resolve))
}
