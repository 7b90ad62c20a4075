import { spawn, type ChildProcess } from 'node:child_process'
import { createInterface } from 'node:readline'
import { fileURLToPath } from 'node:url'

/** Start a script of `test/scripts` in a process of its own, calling back with each line that it prints. */
export function startScript(name: string, parameters: readonly string[], onLine: (line: string) => void): ChildProcess {
  const path = fileURLToPath(new URL(`../scripts/${name}`, import.meta.url))
  const child = spawn(process.execPath, [path, ...parameters], { stdio: ['pipe', 'pipe', 'inherit'] })
  createInterface({ input: child.stdout }).on('line', onLine)
  return child
}

/** Wait for a process to end, and return its exit code, or the signal that ended it. */
export async function ended(child: ChildProcess): Promise<number | string | null> {
  if (child.exitCode !== null || child.signalCode !== null) return child.exitCode ?? child.signalCode
  return new Promise((resolve) => child.once('close', (code, signal) => resolve(code ?? signal)))
}
