import { createReadStream } from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join } from 'node:path'
import { offloadToolOutput, type PostToolUseInput } from '@spillway/claude-agent-sdk/hook'
import type { ContextOffloader, Outcome } from '@spillway/core'
import { readMcpPart } from '@spillway/core/adapter'

/** The input of a hook. Gemini CLI sends no id of the call. */
export interface HookInput extends Omit<PostToolUseInput, 'transcript_path' | 'tool_use_id'> {
  readonly cwd: string
  readonly transcript_path?: string
  readonly tool_use_id?: string
}

type Fields = Readonly<Record<string, unknown>>
type OffloadResult = (offloader: ContextOffloader, input: HookInput) => Promise<object | undefined>

/** Functions by host: offload the result in a hook's input. Return the answer of the hook; `undefined`: no change. */
export const OFFLOAD_RESULT: Readonly<Record<string, OffloadResult>> = {
  async 'claude-code'(offloader, input) {
    const call = { transcript_path: '', tool_use_id: input.session_id, ...input }
    const answer = await offloadToolOutput(offloader, call)
    return answer.hookSpecificOutput === undefined ? undefined : answer
  },
  codex: replaced(codexParts, (reason) => ({ decision: 'block', reason })),
  'gemini-cli': replaced(
    ({ llmContent }) => [llmContent].flat(),
    (reason) => ({ decision: 'deny', reason }),
  ),
  opencode: replaced(
    ({ content, output }) => [content ?? output].flat(),
    (text) => ({ text }),
  ),
}

/** For hosts whose hooks replace a result by one text. Results with images or other media are not offloaded. */
function replaced(readParts: (response: Fields) => readonly unknown[], write: (text: string) => object): OffloadResult {
  return async (offloader, { tool_name: toolName, tool_use_id, tool_input: input, tool_response, session_id }) => {
    const response = (typeof tool_response === 'string' ? { output: tool_response } : Object(tool_response)) as Fields
    const call = { toolName, toolCallId: tool_use_id ?? session_id, input }
    const file = savedOutput(response)
    let outcome: Outcome
    if (file === undefined) {
      const content = readParts(response).map((part) =>
        readMcpPart(typeof part === 'string' ? { type: 'text', text: part } : { type: 'text', ...Object(part) }),
      )
      if (!content.every(({ type }) => type === 'text')) return undefined
      outcome = await offloader.offload({ ...call, content, isError: response['error'] !== undefined })
    } else outcome = await offloader.offloadStream({ ...call, chunks: createReadStream(file) })
    const [replacement] = outcome.content
    return outcome.status === 'inline' || replacement?.type !== 'text' ? undefined : write(replacement.text)
  }
}

/** If a result has structured content, Codex shows its model only that content. */
function codexParts({ output, content, structuredContent }: Fields): readonly unknown[] {
  if (Object(structuredContent) === structuredContent) return [JSON.stringify(structuredContent)]
  return [content ?? output].flat()
}

/** Read the file in which OpenCode saved the whole output before shortening it. A path that a tool names is ignored. */
function savedOutput({ output, metadata }: Fields): string | undefined {
  const { truncated, outputPath: path } = Object(metadata) as Fields
  const folder = join(process.env['XDG_DATA_HOME'] ?? join(homedir(), '.local/share'), 'opencode', 'tool-output')
  const isSaved = typeof output === 'string' && truncated === true && typeof path === 'string'
  return isSaved && dirname(path) === folder ? path : undefined
}
