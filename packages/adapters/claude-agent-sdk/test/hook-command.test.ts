/** Tests `spillway hook claude-code`, which Claude Code starts from the settings that the installer has written. */
import { execFileSync } from 'node:child_process'
import { chmod, mkdir, readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelTurn } from '@spillway-internal/adapter-suite'
import { expect, it } from 'vitest'
import { runClaude, whyNoBinary, withClaudeHome } from './claude-code.ts'
import { readPrompt } from './read-prompt.ts'

const BIN = fileURLToPath(new URL('../../../cli/src/bin.ts', import.meta.url))
const LINES = Array.from({ length: 20_000 }, (_, line) => `line ${line} ${line === 12_345 ? 'status=FAILED' : 'ok'}`)

it.skipIf(whyNoBinary !== undefined)(
  `results of Bash and Read are offloaded, and the agent searches them with the command in the preview${whyNoBinary === undefined ? '' : ` [${whyNoBinary}]`}`,
  async () => {
    const seen = new Map<string, string>()
    await withClaudeHome(async ({ home, cwd }) => {
      const bin = join(home, 'bin')
      await mkdir(bin)
      await writeFile(join(bin, 'spillway'), `#!/bin/sh\nexec "${process.execPath}" "${BIN}" "$@"\n`)
      await chmod(join(bin, 'spillway'), 0o755)
      const PATH = `${bin}:${process.env['PATH']}`
      execFileSync('spillway', ['hook', 'claude-code', 'install', '--project', '--allow'], {
        cwd,
        env: { ...process.env, PATH },
        stdio: 'ignore',
      })
      await writeFile(join(cwd, 'app.log'), LINES.join('\n'))
      await writeFile(join(cwd, 'part.log'), LINES.slice(0, 3_000).join('\n'))
      const rounds: (() => ModelTurn)[] = [
        () => ({
          toolCalls: [
            { id: 'bash', name: 'Bash', input: { command: 'cat app.log', description: 'show' } },
            { id: 'read', name: 'Read', input: { file_path: join(cwd, 'part.log') } },
          ],
        }),
        () => {
          const [, command = ''] = /^ {2}(spillway get .*?) --pattern REGEX/m.exec(seen.get('bash') ?? '') ?? []
          const input = { command: `cd / && ${command} --pattern FAILED --context 0`, description: 'search' }
          return { toolCalls: [{ id: 'more', name: 'Bash', input }] }
        },
        () => ({ text: 'done' }),
      ]
      await runClaude({
        home,
        cwd,
        options: {
          settingSources: ['project'],
          tools: ['Bash', 'Read'],
          allowedTools: ['Bash', 'Read'],
          env: { PATH },
        },
        model(request) {
          for (const { toolCallId, content } of readPrompt(request).results)
            seen.set(toolCallId, content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'))
          return rounds.shift()?.() ?? { text: 'done' }
        },
      })
      expect(await readFile(join(cwd, '.spillway/.gitignore'), 'utf8')).toContain('*')
    })
    expect(seen.get('bash')).toMatch(/^\[Offloaded: 1 block/)
    expect(seen.get('read')).toMatch(/^1\t\[Offloaded: 1 block/)
    expect(seen.get('more')).toContain('> 12346| line 12345 status=FAILED')
  },
)
