/** A kind of item that calls a tool. */
export interface CallKind {
  /** The name of the tool where items do not say it. */
  readonly toolName?: string | undefined
  /** The fields that may have the arguments; the first that is there does. */
  readonly input: readonly string[]
  /** Whether the arguments are JSON text. */
  readonly isText: boolean
  /** Where arguments have a form of their own: the field of them that can take any text, or a list of one text. */
  readonly textIn?: string | undefined
}

/**
 * How the output of a kind of result is read: as text or parts, as what commands of a shell wrote, as a text that may be
 * missing, or not at all, as a screenshot has no other form.
 */
export type OutputKind = 'content' | 'shell' | 'text' | 'screenshot'

/** What differs between lists of items: those of the Responses API, and those of the Agents SDK. */
export interface ItemDialect {
  readonly format: string
  /** The field that pairs a call with its result. */
  readonly callId: string
  readonly calls: ReadonlyMap<unknown, CallKind>
  readonly results: ReadonlyMap<unknown, OutputKind>
  /** The type of the results of functions, which converted results become. */
  readonly functionResult: string
}

const SHELL: CallKind = { toolName: 'shell', input: ['action'], isText: false, textIn: 'commands' }
const APPLY_PATCH: CallKind = { toolName: 'apply_patch', input: ['operation'], isText: false, textIn: 'diff' }
const COMPUTER: CallKind = { toolName: 'computer', input: ['actions', 'action'], isText: false }
const FUNCTION: CallKind = { input: ['arguments'], isText: true }

/** The items of the Responses API. */
export const RESPONSES_ITEMS: ItemDialect = {
  format: 'openai-responses',
  callId: 'call_id',
  calls: new Map([
    ['function_call', FUNCTION],
    ['custom_tool_call', { input: ['input'], isText: false }],
    ['local_shell_call', { toolName: 'local_shell', input: ['action'], isText: false, textIn: 'command' }],
    ['shell_call', SHELL],
    ['apply_patch_call', APPLY_PATCH],
    ['computer_call', COMPUTER],
  ]),
  results: new Map([
    ['function_call_output', 'content'],
    ['custom_tool_call_output', 'content'],
    ['local_shell_call_output', 'text'],
    ['shell_call_output', 'shell'],
    ['apply_patch_call_output', 'text'],
    ['computer_call_output', 'screenshot'],
  ]),
  functionResult: 'function_call_output',
}

/** The items of the Agents SDK. */
export const AGENTS_ITEMS: ItemDialect = {
  format: 'openai-agents',
  callId: 'callId',
  calls: new Map([
    ['function_call', FUNCTION],
    ['shell_call', SHELL],
    ['apply_patch_call', APPLY_PATCH],
    ['computer_call', COMPUTER],
  ]),
  results: new Map([
    ['function_call_result', 'content'],
    ['shell_call_output', 'shell'],
    ['apply_patch_call_output', 'text'],
    ['computer_call_result', 'screenshot'],
  ]),
  functionResult: 'function_call_result',
}
