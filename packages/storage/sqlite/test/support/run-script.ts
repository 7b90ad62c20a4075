import { spawn, type ChildProcess } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createInterface } from 'node:readline'

/** The path of a script in `test/scripts`. */
export const scriptPath = (name: string): string => fileURLToPath(new URL(`../scripts/${name}`, import.meta.url))

/** Start a script of `test/scripts` in a process of its own, calling back with each line that it prints. */
export function startScript(name: string, parameters: readonly string[], onLine: (line: string) => void): ChildProcess {
  const child = spawn(process.execPath, [scriptPath(name), ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] })
  createInterface({ input: child.stdout }).on('line', onLine)
  return child
}

/** Wait for a process to end, and return its exit code, or the signal that ended it. */
export async function ended(child: ChildProcess): Promise<number | string | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode
  return new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)))
}
