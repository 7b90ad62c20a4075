import { warn } from '@spillway/text/internal'

/** A step of compacting or compressing, as it ends. Nothing in it is content. */
export type HistoryProgress =
  | { readonly step: 'compact'; readonly done: number; readonly total: number }
  | { readonly step: 'summarize'; readonly group: number; readonly groups: number }
  | { readonly step: 'store'; readonly group: number; readonly groups: number }

/** Tell of a step to whoever wants to know; what that throws costs nothing else. */
export function reportProgress(
  progress: HistoryProgress,
  { onProgress }: { readonly onProgress?: ((progress: HistoryProgress) => void) | undefined },
): void {
  try {
    onProgress?.(progress)
  } catch (error) {
    warn('onProgress threw; the history is not affected.', error)
  }
}
