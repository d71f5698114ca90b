export function placeBuild(places: { next: string; dist: string }): void;
export function filesIn(folder: string): string[];
