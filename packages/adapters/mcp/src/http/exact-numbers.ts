import { rewriteInexactNumbers } from '@spillway/core/adapter'
import { readMessages } from '../proxy/message-text.ts'
import type { Message } from '../relay/message.ts'

interface MarkedBody {
  /** Whether the body has JSON in its `data:` lines. */
  readonly isEventStream: boolean
  /** A longer body gets no marks, because its reader refuses it. */
  readonly maxLength?: number
}

/** Keeps numbers exact while an SDK parses the JSON: inexact numbers become marked strings meanwhile. */
export class ExactNumbers {
  readonly #mark = crypto.randomUUID()
  readonly #marked = new RegExp(`"${this.#mark}([^"]+)"`, 'g')
  /** Number of marked numbers in messages that have not left the SDK. */
  #count = 0

  markBody(
    body: ReadableStream<Uint8Array>,
    { isEventStream, maxLength = Infinity }: MarkedBody,
  ): ReadableStream<Uint8Array> {
    let pieces: string[] = []
    let length = 0
    const take = (): string => {
      const text = pieces.join('')
      pieces = []
      return length > maxLength || (isEventStream && !text.startsWith('data:')) ? text : this.#markText(text)
    }
    const decoder = new TextDecoder()
    const encoder = new TextEncoder()
    const marking = new TransformStream<Uint8Array, Uint8Array>({
      transform(bytes, controller) {
        const chunk = decoder.decode(bytes, { stream: true })
        length += isEventStream ? 0 : chunk.length
        let start = 0
        for (let end = chunk.indexOf('\n'); isEventStream && end !== -1; end = chunk.indexOf('\n', start)) {
          pieces.push(chunk.slice(start, end + 1))
          controller.enqueue(encoder.encode(take()))
          start = end + 1
        }
        pieces.push(chunk.slice(start))
        if (length > maxLength) controller.enqueue(encoder.encode(take()))
      },
      flush(controller) {
        pieces.push(decoder.decode())
        controller.enqueue(encoder.encode(take()))
      },
    })
    return body.pipeThrough(marking)
  }

  reveal(message: Message): Message {
    if (this.#count === 0) return message
    let text: string
    try {
      text = JSON.stringify(message)
    } catch (error) {
      // The message is too deep to be written. Sending it reports the error.
      if (error instanceof RangeError) return message
      throw error
    }
    const revealed = text.replaceAll(this.#marked, (_marked, number: string) => {
      this.#count -= 1
      return number
    })
    return readMessages(revealed)[0] as Message
  }

  #markText(text: string): string {
    return rewriteInexactNumbers(text, (number) => {
      this.#count += 1
      return `"${this.#mark}${number}"`
    })
  }
}
