import type { HistoryMode } from '@spillway/history'
import { z } from 'zod'
import { virtualPath } from '../files/file-record.ts'

/** Settings of `POST /context_offload`, with the names of its fields. `null` counts as absent. */
export interface ContextOffloadSettings {
  readonly context_manage_mode?: HistoryMode | null | undefined
  readonly max_total_tokens?: number | null | undefined
  readonly max_tool_message_tokens?: number | null | undefined
  readonly preview_char_length?: number | null | undefined
  readonly group_token_threshold?: number | null | undefined
  readonly compact_ratio_threshold?: number | null | undefined
  readonly keep_recent_count?: number | null | undefined
  /** A virtual folder in the caller's scope. */
  readonly store_dir?: string | null | undefined
}

/** Settings with defaults. The number of recent messages depends on the mode. */
export type CompleteSettings = Pick<ContextOffloadSettings, 'keep_recent_count'> & {
  readonly [Name in Exclude<keyof ContextOffloadSettings, 'keep_recent_count'>]-?: NonNullable<
    ContextOffloadSettings[Name]
  >
}

const DEFAULTS: CompleteSettings = {
  context_manage_mode: 'auto',
  max_total_tokens: 20_000,
  max_tool_message_tokens: 2_000,
  preview_char_length: 100,
  group_token_threshold: 0,
  compact_ratio_threshold: 0.75,
  store_dir: '',
}

/** Create the schema of the settings. The descriptions in it contain the defaults of the service. */
export function settingsSchema(defaults: ContextOffloadSettings = {}): z.ZodObject {
  const settings = withDefaults(defaults)
  const optional = (schema: z.ZodType, fallback: unknown, about = ''): z.ZodType =>
    schema.nullish().meta({ description: `${about}Defaults to ${String(fallback)}.` })
  const tokens = z.number().positive()
  const { keep_recent_count: keep = '1 for compact, 2 for compress' } = settings
  return z.object({
    context_manage_mode: optional(z.enum(['compact', 'compress', 'auto']), settings.context_manage_mode),
    max_total_tokens: optional(tokens, settings.max_total_tokens),
    max_tool_message_tokens: optional(tokens, settings.max_tool_message_tokens),
    preview_char_length: optional(z.number().min(0).max(100_000), settings.preview_char_length),
    group_token_threshold: optional(
      z.number(),
      settings.group_token_threshold,
      'Tokens of a summarized group; 0: one group. ',
    ),
    compact_ratio_threshold: optional(z.number().min(0).max(1), settings.compact_ratio_threshold),
    keep_recent_count: optional(z.number().min(0), keep),
    store_dir: optional(z.string(), settings.store_dir || 'the workspace', 'A virtual folder in the scope. '),
  })
}

export function withDefaults(
  settings: ContextOffloadSettings,
  defaults: ContextOffloadSettings = {},
): CompleteSettings {
  const given = (some: object): object => Object.fromEntries(Object.entries(some).filter(([, value]) => value != null))
  return { ...DEFAULTS, ...given(defaults), ...given(settings) }
}

/** Validate defaults. @throws TypeError that names the setting. */
export function assertSettings(settings: ContextOffloadSettings): void {
  const { error } = settingsSchema().strict().safeParse(settings)
  const [issue] = error?.issues ?? []
  if (issue !== undefined) throw new TypeError(`${['contextOffload', ...issue.path].join('.')}: ${issue.message}`)
  try {
    virtualPath(settings.store_dir ?? '')
  } catch (cause) {
    throw new TypeError('contextOffload.store_dir must be a virtual folder, such as context_store.', { cause })
  }
}
