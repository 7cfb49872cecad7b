/** Cases that cannot arise here, each with the reason. */
export const NOT_APPLICABLE: readonly { readonly case: number; readonly reason: string }[] = [];
