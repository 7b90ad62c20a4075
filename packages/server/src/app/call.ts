import type { KnownCaller } from '@spillway/core/http'
import type { FailureCode } from './describe-failure.ts'

/** What becomes known of a request while it is answered. */
export interface Call {
  readonly requestId: string
  /** The pattern of its path. */
  route: string
  isReme: boolean
  caller: KnownCaller | undefined
  /** Whether its body was taken in, all of it. */
  isBodyTaken: boolean
  bytesIn: number
  bytesOut: number
  code: FailureCode | undefined
  /** Set where it is still worked on while the answer is sent; it never rejects. */
  done: Promise<unknown> | undefined
  /** The messages that came, for an answer that gives them back where it fails. */
  messages: readonly unknown[]
}

/** What the service knows of a request from what it runs in. */
export interface CallEnvironment {
  /** Where it comes from; callers without tokens are told apart by it. */
  readonly address?: string | undefined
  /** Resolves when the answer was sent, or cannot be any more. */
  readonly sent?: Promise<void> | undefined
  /** Called when nothing is left to be done but to send the answer. */
  readonly onDone?: (() => void) | undefined
}

/** Begin with what is known of any request. */
export const newCall = (): Call => ({
  requestId: crypto.randomUUID(),
  route: 'unmatched',
  isReme: false,
  caller: undefined,
  isBodyTaken: false,
  bytesIn: 0,
  bytesOut: 0,
  code: undefined,
  done: undefined,
  messages: [],
})
