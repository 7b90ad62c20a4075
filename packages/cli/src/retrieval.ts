import {
  createRetrievalTool,
  estimateTokens,
  type RetrievalCall,
  type RetrievalErrorCode,
  type RetrievalResult,
  type Storage,
} from '@spillway/core'
import { CliError } from './cli-error.ts'
import { EXIT_CODE } from './exit-code.ts'
import { inOptionNames } from './option-names.ts'
import { formatCommand, formatGrep } from './retrieval-commands.ts'

/**
 * Ask the retrieval tool, as an agent would, with its suggestions written as commands.
 *
 * Throws a {@link CliError} where it cannot answer.
 */
export async function retrieve(
  storage: Storage,
  call: RetrievalCall,
  maxTokens: number,
  storeArguments: string,
): Promise<Extract<RetrievalResult, { isError: false }>> {
  const tool = createRetrievalTool({
    storage,
    // Scoped, also where no scope was given. The rule that nothing enumerates without a scope is there for servers,
    // where a scope separates callers. Here the caller is whoever runs this process with its own access to the store:
    // `spillway ls` shows the same.
    scoped: true,
    maxRetrievalTokens: maxTokens,
    countTokens: estimateTokens,
    formatCall: (suggested) =>
      suggested.reference === undefined
        ? formatGrep(suggested, storeArguments)
        : formatCommand(suggested, storeArguments),
  })
  const result = await tool.execute(call)
  if (!result.isError) return result
  const [block] = result.content
  const message = block?.type === 'text' ? block.text.replace(/^Error: /, '') : result.code
  throw new CliError(result.code, exitCodeOf(result.code), inOptionNames(message))
}

/** Tell by its header whether an answer has found anything. */
export const hasMatches = (answer: string): boolean => !NOTHING.test(answer)

const NOTHING = /^\[(?:Stopped .* So far: )?(?:0 (?:matches|results|rows|passages) |0 lines match|None left )/

function exitCodeOf(code: RetrievalErrorCode): number {
  switch (code) {
    case 'not-found':
    case 'evicted':
    case 'invalid-range':
      return EXIT_CODE.nothing
    case 'unavailable':
    case 'corrupt':
    case 'unsupported':
      return EXIT_CODE.storage
    default:
      return EXIT_CODE.usage
  }
}
