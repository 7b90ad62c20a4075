/** Tests `spillway mcp proxy`, which Claude Code starts in place of a server. */
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import type { ModelTurn } from '@spillway-internal/adapter-suite'
import { expect, it } from 'vitest'
import { runClaude, whyNoBinary, withClaudeHome } from './claude-code.ts'
import { readPrompt } from './read-prompt.ts'

const CLI = fileURLToPath(new URL('../../../cli/', import.meta.url))
const RETRIEVAL = 'mcp__logs__retrieve_offloaded_content'

it.skipIf(whyNoBinary !== undefined)(
  `a large result becomes a preview, and the agent searches it with the added tool${whyNoBinary === undefined ? '' : ` [${whyNoBinary}]`}`,
  async () => {
    const seen = new Map<string, string>()
    await withClaudeHome(async ({ home, cwd }) => {
      const proxy = [join(CLI, 'src/bin.ts'), 'mcp', 'proxy', '--store', `file:${join(cwd, 'store')}`, '--']
      const args = [...proxy, process.execPath, join(CLI, 'test/mcp/log-server.ts')]
      const rounds: (() => ModelTurn)[] = [
        () => ({ toolCalls: [{ id: 'read', name: 'mcp__logs__read_log', input: { lines: 20_000 } }] }),
        () => {
          const reference = /\[Stored references:\]\n {2}(\w+) /.exec(seen.get('read') ?? '')?.[1]
          const input = { reference, pattern: 'line 999:', context_lines: 0 }
          return { toolCalls: [{ id: 'search', name: RETRIEVAL, input }] }
        },
        () => ({ text: 'done' }),
      ]
      await runClaude({
        home,
        cwd,
        options: {
          mcpServers: { logs: { type: 'stdio', command: process.execPath, args, alwaysLoad: true } },
          allowedTools: ['mcp__logs__read_log', RETRIEVAL],
        },
        model(request) {
          for (const { toolCallId, content } of readPrompt(request).results)
            seen.set(toolCallId, content.map((part) => (part.type === 'text' ? part.text : '')).join('\n'))
          return rounds.shift()?.() ?? { text: 'done' }
        },
      })
    })
    expect(seen.get('read')).toMatch(/^\[Offloaded: 1 block/)
    expect(seen.get('read')?.length).toBeLessThan(6_000)
    expect(seen.get('search')).toContain('> 1000| line 999: FAILED')
  },
)
