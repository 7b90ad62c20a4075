import type { MessageData, MiddlewareRef, MultipartToolAction, ToolRequestPart, ToolResponsePart } from 'genkit'
import type { GenkitBeta } from 'genkit/beta'

/** What a run is called with, in each of its rounds. */
export interface RunOptions {
  readonly model: ReturnType<GenkitBeta['defineModel']>
  readonly tools: MultipartToolAction[]
  readonly use: MiddlewareRef[]
  readonly maxTurns: number
  readonly system?: string
}

/** What the program hands over in a round: what the user says, or how it goes on after an interrupt. */
export interface Round {
  readonly prompt?: string
  readonly resume?: { readonly respond: ToolResponsePart[]; readonly restart: ToolRequestPart[] }
  readonly abortSignal?: AbortSignal
}

/** What came of a round: all messages so far. */
export interface RoundResult {
  readonly messages: MessageData[]
}

/** Sends the rounds of a conversation, one after the other. */
export type Send = (round: Round) => Promise<RoundResult>
