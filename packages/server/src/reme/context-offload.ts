import { parseExactJson, plainNumber } from '@spillway/core/adapter'
import { compactHistory, type HistoryOutcome } from '@spillway/history'
import { z } from 'zod'
import { virtualPath } from '../files/file-record.ts'
import {
  assertApplied,
  assertConversation,
  explainObstacle,
  failureNotes,
  requireSummarize,
  type HistoryServices,
} from '../v1/history-services.ts'
import { defineRoute, type Route } from '../routes/route.ts'
import { FileArchive } from './file-archive.ts'
import { settingsSchema, withDefaults, type ContextOffloadSettings } from './offload-settings.ts'
import { remeFormat } from './reme-format.ts'
import { remeAnswerSchema } from './schemas.ts'

const MAX_ID_LENGTH = 1_024

const whole = (number: number): number => Math.min(Math.trunc(number), Number.MAX_SAFE_INTEGER)

/** The schema of a message keeps the object: a schema of its fields would copy it and lose some fields. */
const MESSAGE = z
  .custom<object>(
    (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
    'Invalid input: expected object',
  )
  .meta({ type: 'object' })

/** Convert numbers in options to JavaScript numbers. Messages keep their exact numbers. */
function withPlainOptions(body: unknown): unknown {
  if (typeof body !== 'object' || body === null || Array.isArray(body)) return body
  return Object.fromEntries(Object.entries(body).map(([name, value]) => [name, plainNumber(value)]))
}

export const contextOffloadRoute = ({ summarize, contextOffload }: HistoryServices): Route =>
  defineRoute({
    method: 'post',
    path: '/context_offload',
    operationId: 'context_offload',
    summary: 'Make a history smaller: large results become files, older messages a summary',
    description:
      'Nothing is lost: removed content is stored in virtual files of the scope before it is replaced. Without ' +
      'a model, `compress` fails and `auto` only compacts. If the call fails, `messages` is the unchanged history.',
    tag: 'ReMe',
    isReme: true,
    parse: parseExactJson,
    normalize: withPlainOptions,
    body: z
      .looseObject({
        messages: z.array(MESSAGE).meta({ description: 'The history, oldest first.' }),
        ...settingsSchema(contextOffload).shape,
        chat_id: z
          .string()
          .max(MAX_ID_LENGTH)
          .nullish()
          .meta({ description: 'Part of file names. Defaults to a random id.' }),
        include_write_file_dict: z.boolean().nullish().meta({
          description: 'Whether `metadata.write_file_dict` repeats stored files. Defaults to true.',
        }),
      })
      .meta({ id: 'ContextOffloadRequest' }),
    responses: { 200: { description: 'The history to continue with, in `messages`.', schema: remeAnswerSchema } },
    failureStatuses: {
      400: 'store_dir cannot be a virtual folder.',
      502: 'The model gave no summary that can be used.',
    },
    async handle({ body }, context) {
      const { tenant, signal } = context
      const { messages } = body
      const settings = withDefaults(body as ContextOffloadSettings, contextOffload)
      const { context_manage_mode: mode, store_dir: folder } = settings
      virtualPath(folder)
      const summarizing = requireSummarize(mode, summarize, context)
      const format = remeFormat()
      assertConversation(format, messages)
      const { files, offloader } = tenant()
      const archive = new FileArchive(files, {
        folder,
        chatId: body.chat_id ?? crypto.randomUUID().replaceAll('-', ''),
        previewLength: Math.trunc(settings.preview_char_length),
      })
      await archive.learn(messages)
      const outcome = await compactHistory([...messages], {
        offloader,
        archive,
        format,
        mode,
        maxTotalTokens: Math.max(1, Math.trunc(settings.max_total_tokens)),
        maxToolMessageTokens: Math.max(1, Math.trunc(settings.max_tool_message_tokens)),
        keepRecent: settings.keep_recent_count == null ? undefined : whole(settings.keep_recent_count),
        groupTokens: Math.max(0, whole(settings.group_token_threshold)),
        compactRatioThreshold: settings.compact_ratio_threshold,
        historyPreviewTokens: 0,
        summarize: summarizing,
        signal,
      })
      assertApplied(outcome)
      return { json: answerOf(outcome, archive, body.include_write_file_dict !== false) }
    },
  })

function answerOf(outcome: HistoryOutcome<object[]>, archive: FileArchive, includesFiles: boolean): unknown {
  const { applied, fits, tokens, obstacles, failures, messages } = outcome
  const files = [...new Set(outcome.stored.map(({ name }) => name))].flatMap((name) => archive.stored.get(name) ?? [])
  const lines = files.map(({ writtenPath, created }) =>
    created
      ? `Successfully created and wrote to new file: ${writtenPath}`
      : `Already written with the same content: ${writtenPath}`,
  )
  if (files.length === 0) lines.push('Nothing was offloaded.')
  if (!fits)
    lines.push(
      `The history still has ${tokens.after} tokens of ${tokens.limit}.`,
      ...new Set(obstacles.map(({ explanation }) => explainObstacle(explanation, 'reme'))),
    )
  const notes = failureNotes(failures)
  for (const { step, index, reason } of notes)
    lines.push(`Message ${index} and those with it stay: ${step} failed (${reason}).`)
  // `Object.fromEntries` is used because a path may be `__proto__`.
  const dictionary = Object.fromEntries(
    files.flatMap(({ file, text }) => (text === undefined ? [] : [[file.path, text]])),
  )
  return {
    success: true,
    answer: lines.join('\n'),
    messages,
    metadata: {
      ...(includesFiles && { write_file_dict: dictionary }),
      applied,
      tokens,
      fits,
      obstacles: obstacles.map(({ index, role, reason, explanation, tokens: size }) => ({
        index,
        role,
        reason,
        explanation: explainObstacle(explanation, 'reme'),
        tokens: size.after,
      })),
      failures: notes,
    },
  }
}
