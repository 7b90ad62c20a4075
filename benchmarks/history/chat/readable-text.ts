import { callsOf, type ChatMessage } from './chat-message.ts'

const known = new WeakMap<ChatMessage, string>()

/** Normalize line ends and runs of blanks in a text. */
export const normalized = (text: string): string => text.replaceAll(/\r\n?/g, '\n').replaceAll(/[ \t\u00a0]+/g, ' ')

/** Return everything in a message that the model reads, normalized: its text, and unescaped arguments of calls. */
export function readableText(message: ChatMessage): string {
  const text =
    known.get(message) ??
    normalized(
      [
        message.content ?? '',
        ...callsOf(message)
          .map((call) => call.function.arguments)
          .map(textOfArguments),
      ].join('\n'),
    )
  known.set(message, text)
  return text
}

function textOfArguments(json: string): string {
  const texts: string[] = []
  JSON.parse(json, (_, value: unknown) => {
    if (typeof value === 'string') texts.push(value)
    return value
  })
  return texts.join('\n')
}
