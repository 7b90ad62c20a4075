import { execFile } from 'node:child_process'

/** Exit code and output of a program. */
export interface ProgramOutcome {
  /** The exit code; 127 if the program does not exist. */
  readonly exitCode: number
  readonly output: string
}

/** Run a program until it ends. A program that fails or is missing does not reject. */
export async function runProgram(
  command: string,
  args: readonly string[],
  options: { readonly timeoutMs?: number; readonly env?: Readonly<Record<string, string>> } = {},
): Promise<ProgramOutcome> {
  const settings = { timeout: options.timeoutMs ?? 0, env: { ...process.env, ...options.env }, maxBuffer: 1e8 }
  return await new Promise((resolve) => {
    execFile(command, args, settings, (error, stdout, stderr) => {
      const exitCode = error === null ? 0 : typeof error.code === 'number' ? error.code : 127
      resolve({ exitCode, output: `${stdout}${stderr}` })
    })
  })
}
