import type { HistoryFormat } from '../history-format.ts'
import type { HistoryMessage } from '../history-message.ts'
import { isFields, type Fields } from './check-fields.ts'
import { patchGeminiContent } from './gemini-patch.ts'
import { GEMINI_CONTENTS, readGeminiConversation } from './gemini-read.ts'
import { writeMessages } from './write-messages.ts'

/** What a request to the Gemini API has of a conversation. */
export interface GeminiConversation<Content, Instruction> {
  readonly systemInstruction?: Instruction | undefined
  readonly contents: Content[]
}

/**
 * Read and write conversations of the Gemini API: the system instruction, which is the first message of the neutral form,
 * and the contents.
 *
 * A response is paired with its call by the id; where there is none, by the name and the order in the turn that follows.
 * Where the response of a function is an object whose only long field is a text, it is read as that text. What models
 * thought, code that the API ran, signatures, and parts of unknown types are kept as they are.
 *
 * Reading throws a `TypeError` that names content and field where a content is none of the API.
 *
 * @example
 * ```ts
 * import { geminiContents } from '@spillway/history'
 *
 * const format = geminiContents<{ role: string; parts: { text: string }[] }>()
 * const conversation = { contents: [{ role: 'user', parts: [{ text: 'Why did the build fail?' }] }] }
 * const messages = format.read(conversation)
 * console.assert(messages[0]?.role === 'user')
 * console.assert(format.write(messages).contents[0] === conversation.contents[0])
 * ```
 */
export function geminiContents<Content extends object, Instruction = string | object>(): HistoryFormat<
  GeminiConversation<Content, Instruction>
> {
  return {
    name: GEMINI_CONTENTS,
    read: readGeminiConversation,
    write: (messages) => writeConversation(messages) as GeminiConversation<Content, Instruction>,
  }
}

function writeConversation(messages: readonly HistoryMessage[]): unknown {
  const written = writeMessages(messages, {
    format: GEMINI_CONTENTS,
    patch: patchGeminiContent,
    makeSystem: (text) => ({ systemInstruction: text }),
  })
  const isInstruction = (content: Fields): boolean => Object.hasOwn(content, 'systemInstruction')
  const instructions = written.filter(isInstruction).map(({ systemInstruction }) => systemInstruction)
  const contents = written.filter((content) => !isInstruction(content))
  return instructions.length === 0 ? { contents } : { systemInstruction: joinInstructions(instructions), contents }
}

/** Make one instruction of several: a text where all of them are, a content otherwise. */
function joinInstructions(instructions: readonly unknown[]): unknown {
  if (instructions.length === 1) return instructions[0]
  const texts = instructions.filter((instruction) => typeof instruction === 'string')
  if (texts.length === instructions.length) return texts.filter((text) => text !== '').join('\n\n')
  const whole = instructions.find(
    (instruction): instruction is Fields => isFields(instruction) && 'parts' in instruction,
  )
  return { ...whole, parts: instructions.flatMap(partsOf) }
}

function partsOf(instruction: unknown): readonly unknown[] {
  if (typeof instruction === 'string') return instruction === '' ? [] : [{ text: instruction }]
  if (Array.isArray(instruction)) return instruction.flatMap(partsOf)
  if (!isFields(instruction) || !('parts' in instruction)) return [instruction]
  return Array.isArray(instruction['parts']) ? instruction['parts'] : []
}
