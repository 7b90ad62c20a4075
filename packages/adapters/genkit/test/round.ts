import type { MessageData, MiddlewareRef, MultipartToolAction, ToolRequestPart, ToolResponsePart } from 'genkit'
import type { GenkitBeta } from 'genkit/beta'

/** Options of a run, for each of its rounds. */
export interface RunOptions {
  readonly model: ReturnType<GenkitBeta['defineModel']>
  readonly tools: MultipartToolAction[]
  readonly use: MiddlewareRef[]
  readonly maxTurns: number
  readonly system?: string
}

/** Input of a round: the user's message, or the continuation after an interrupt. */
export interface Round {
  readonly prompt?: string
  readonly resume?: { readonly respond: ToolResponsePart[]; readonly restart: ToolRequestPart[] }
  readonly abortSignal?: AbortSignal
}

/** Result of a round: all messages so far. */
export interface RoundResult {
  readonly messages: MessageData[]
}

/** Sends the rounds of a conversation, one after the other. */
export type Send = (round: Round) => Promise<RoundResult>
