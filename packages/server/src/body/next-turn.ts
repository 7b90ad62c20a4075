/** Wait for the next turn of the event loop. `setImmediate` does not wait, but some runtimes lack it. */
export async function nextTurn(): Promise<void> {
  await new Promise<void>((resolve) => void (globalThis.setImmediate ?? setTimeout)(resolve))
}
