import { testWalks } from "../e2e/hpa-walks";

testWalks({ seconds: 300, leastSteps: 200 });
