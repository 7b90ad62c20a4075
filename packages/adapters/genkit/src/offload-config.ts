import { z } from 'genkit'

/** What a call, a prompt or an agent passes to the middleware in its `use`. */
export interface OffloadConfig {
  /** The segments of the scope, such as the ids of a user and a chat. Defaults to the id of the session, if there is one. */
  readonly scope?: readonly string[] | undefined
}

/** The config as Genkit and its developer tools know it. */
export const configSchema: z.ZodType<OffloadConfig> = z.strictObject({
  scope: z.array(z.string()).optional().describe('Segments of the scope in which results are stored.'),
})

/** Refuse with a `TypeError` a config that cannot work, before the model is called: Genkit itself does not look at it. */
export function assertConfig(config: OffloadConfig = {}): void {
  const issue = configSchema.safeParse(config).error?.issues[0]
  if (issue !== undefined)
    throw new TypeError(`${issue.message} ${issue.path.join('.')}. Write offload({ scope: ['user-1', 'chat-1'] }).`)
}
