/** Let others work. Not every runtime has `setImmediate`, which waits for no time. */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => void (globalThis.setImmediate ?? setTimeout)(resolve))
}
