/** The address of Watches with “Where reports go” open. */
export const REPORT_CHANNELS = '/watches?open=channels';
