import { spawn } from 'node:child_process'
import { mkdir, writeFile } from 'node:fs/promises'
import { delimiter, join } from 'node:path'
import {
  PosixShellSandbox,
  type ExecuteOptions,
  type ExecutionResult,
  type StreamChunk,
} from '@strands-agents/sdk/sandbox'
import { onTestFinished } from 'vitest'
import { temporaryDirectory } from './backends.ts'

/** A Strands sandbox with its own directory, whose shell is the `sh` of this machine. */
export class LocalSandbox extends PosixShellSandbox {
  readonly directory: string
  readonly commands: string[] = []

  constructor(directory: string) {
    super()
    this.directory = directory
  }

  override async *executeStreaming(
    command: string,
    options: ExecuteOptions = {},
  ): AsyncGenerator<StreamChunk | ExecutionResult> {
    this.commands.push(command)
    const child = spawn('sh', ['-c', command], {
      cwd: options.cwd ?? this.directory,
      stdio: ['ignore', 'pipe', 'pipe'],
    })
    const output = { stdout: '', stderr: '' }
    for (const streamType of ['stdout', 'stderr'] as const)
      child[streamType].setEncoding('utf8').on('data', (data: string) => (output[streamType] += data))
    const exitCode = await new Promise<number>((resolve, reject) => {
      child.on('error', reject)
      child.on('close', (code) => resolve(code ?? 1))
    })
    yield { type: 'streamChunk', data: output.stdout, streamType: 'stdout' }
    yield { type: 'executionResult', exitCode, ...output, outputFiles: [] }
  }
}

/** Put programs first on the search path of this process, until the test ends. */
export async function standIns(programs: Readonly<Record<string, string>>): Promise<void> {
  const folder = join(await temporaryDirectory(), 'bin')
  await mkdir(folder)
  for (const [name, script] of Object.entries(programs))
    await writeFile(join(folder, name), `#!/bin/sh\n${script}\n`, { mode: 0o755 })
  const { PATH = '' } = process.env
  process.env['PATH'] = `${folder}${delimiter}${PATH}`
  onTestFinished(() => void (process.env['PATH'] = PATH))
}
