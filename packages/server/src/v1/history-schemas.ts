import { z } from 'zod'
import type { HistoryLimits } from '@spillway/history'
import { FORMAT_NAMES, type FormatName } from '../history/history-formats.ts'

const tokens = z.number().positive()

const conversation = {
  format: z.enum(FORMAT_NAMES).meta({ description: 'How the messages are written.' }),
  messages: z.unknown().meta({ description: 'The conversation, as its API takes it; its messages come back so.' }),
}

/** A conversation, and how it is written. */
export interface ConversationRequest {
  readonly format: FormatName
  readonly messages?: unknown
}

/** A conversation, and what to put back into it. */
export interface ExpandRequest extends ConversationRequest {
  readonly only?: readonly string[] | undefined
}

/** A conversation, and what it is made smaller with. */
export interface HistoryRequest extends ConversationRequest, HistoryLimits {
  readonly instructions?: string | undefined
}

/** What histories are made smaller with. */
export const historyRequestSchema: z.ZodType<HistoryRequest> = z
  .object({
    ...conversation,
    mode: z.enum(['compact', 'compress', 'auto']).optional().meta({ description: 'Defaults to auto.' }),
    maxTotalTokens: tokens.optional().meta({ description: 'Defaults to 20000.' }),
    maxToolMessageTokens: tokens.optional().meta({ description: 'Defaults to 2000.' }),
    keepRecent: z.int().min(0).optional().meta({ description: 'Defaults to 1 for compacting, 2 for compressing.' }),
    groupTokens: z
      .int()
      .min(0)
      .optional()
      .meta({ description: 'Tokens of one summarised group; 0, the default, for one.' }),
    compactRatioThreshold: z.number().min(0).max(1).optional().meta({ description: 'Defaults to 0.75.' }),
    historyPreviewTokens: z.int().min(0).optional().meta({ description: 'Defaults to 50.' }),
    instructions: z.string().max(10_000).optional().meta({ description: 'What a summary must heed beside the rest.' }),
  })
  .meta({ id: 'HistoryRequest' })

/** A conversation to put things back into. */
export const expandRequestSchema: z.ZodType<ExpandRequest> = z
  .object({
    ...conversation,
    only: z
      .array(z.string())
      .max(10_000)
      .optional()
      .meta({ description: 'Only what has these names. Defaults to everything.' }),
  })
  .meta({ id: 'ExpandRequest' })

/** A conversation whose references are wanted. */
export const referencesRequestSchema: z.ZodType<ConversationRequest> = z
  .object(conversation)
  .meta({ id: 'ReferencesRequest' })

/** What a history names. */
export const referencesAnswerSchema: z.ZodType = z
  .object({
    references: z.array(
      z.object({
        name: z.string(),
        kind: z.string(),
        contentType: z.string(),
        size: z.number().meta({ description: 'Bytes.' }),
        index: z.number().meta({ description: 'The position of the message that names it.' }),
        toolName: z.string().optional(),
        callId: z.string().optional(),
        inside: z.string().optional().meta({ description: 'Under which name the messages are stored that name it.' }),
      }),
    ),
  })
  .meta({ id: 'ReferencesAnswer' })

const size = z.object({ before: z.number(), after: z.number(), limit: z.number() })

const statistics = {
  index: z.number().meta({ description: 'The position among the messages that came in, from 0.' }),
  role: z.string(),
  tokens: z.object({ before: z.number(), after: z.number() }),
  reason: z.string(),
}

/** What became of a history. */
export const historyAnswerSchema: z.ZodType = z
  .object({
    messages: z.unknown().meta({ description: 'The conversation to go on with.' }),
    applied: z.array(z.enum(['compact', 'compress'])),
    tokens: size,
    fits: z.boolean().meta({ description: 'Whether it is within its limit now.' }),
    obstacles: z.array(z.object({ ...statistics, explanation: z.string() })),
    statistics: z.array(z.object(statistics)),
    unchanged: z.number().meta({ description: 'How many messages at its start are as they came in.' }),
    stored: z.array(z.object({ name: z.string(), kind: z.string(), size: z.number(), index: z.number() })),
    failures: z.array(z.object({ step: z.enum(['store', 'summarize']), index: z.number(), reason: z.string() })),
  })
  .meta({ id: 'HistoryAnswer', description: 'What became of a history.' })

/** What would become of a history. */
export const planAnswerSchema: z.ZodType = z
  .object({
    isOver: z.boolean(),
    tokens: z.object({ before: z.number(), estimatedAfter: z.number(), limit: z.number() }),
    messages: z.array(
      z.object({
        index: z.number(),
        role: z.string(),
        tokens: z.number(),
        action: z.enum(['keep', 'compact', 'compress']),
        reason: z.string(),
      }),
    ),
    groups: z.array(z.array(z.number())),
  })
  .meta({ id: 'HistoryPlan', description: 'What would become of a history.' })

/** A history with all in it that was stored. */
export const expandAnswerSchema: z.ZodType = z
  .object({
    messages: z.unknown(),
    missing: z
      .array(z.object({ name: z.string(), code: z.string() }))
      .meta({ description: 'What could not be put back.' }),
  })
  .meta({ id: 'ExpandAnswer' })
