// SPDX-License-Identifier: Apache-2.0
#include "storage/evolving/store_spec.h"

#include <gtest/gtest.h>

#include <string>

#include "common/error.h"

namespace outcore::evolving {

namespace {

TEST(StoreSpec, DefaultsAreThePapers) {
  const StoreSpec spec = parse_store_spec("evolving");
  EXPECT_EQ(spec.options.threshold, 65536);
  EXPECT_EQ(spec.options.least_buffer, 16);
  EXPECT_EQ(spec.options.most_buffer, 256);
  EXPECT_EQ(spec.options.bulk_bytes, 16 << 20);
  EXPECT_FALSE(spec.options.reuse_buffered);
  EXPECT_FALSE(spec.modelled);
}

TEST(StoreSpec, VariantsAreCombinationsOfKnobs) {
  EXPECT_TRUE(parse_store_spec("evolving:variant=battery").options.reuse_buffered);
  const StoreKnobs dram = parse_store_spec("evolving:variant=dram").options;
  EXPECT_TRUE(dram.reuse_buffered);
  EXPECT_EQ(dram.least_buffer, 64);
  EXPECT_EQ(dram.most_buffer, 64);
  EXPECT_EQ(parse_store_spec("evolving:variant=dram,buffers=16-256").options.most_buffer, 256);
  EXPECT_EQ(parse_store_spec("evolving:variant=graphone").options.archiving,
            Archiving::edge_by_edge);
  EXPECT_TRUE(parse_store_spec("evolving:variant=graphone-file").in_file);
}

TEST(StoreSpec, TheLogIsASixteenthOfTheStream) {
  EXPECT_TRUE(parse_store_spec("evolving").usual_log);
  EXPECT_FALSE(parse_store_spec("evolving:log=64K").usual_log);
  EXPECT_EQ(usual_log_edges(16 << 20, 65536), 1 << 20);
  EXPECT_EQ(usual_log_edges((16 << 20) + 16, 65536), 2 << 20);
  EXPECT_EQ(usual_log_edges(1000, 65536), 131072);  // two thresholds at least
}

TEST(StoreSpec, ReadsEveryKnob) {
  const StoreSpec spec = parse_store_spec(
      "evolving:medium=model,threshold=100,batch=exact,log=64K,buffers=fixed:128,pool=1G,bulk=64K,"
      "ranges=32,clwb=on,cache=1M,dimms=1,lists=symmetric");
  EXPECT_TRUE(spec.modelled);
  EXPECT_EQ(spec.options.threshold, 100);
  EXPECT_TRUE(spec.options.exact_batches);
  EXPECT_EQ(spec.options.log_edges, 8192);
  EXPECT_EQ(spec.options.least_buffer, 128);
  EXPECT_EQ(spec.options.most_buffer, 128);
  EXPECT_EQ(spec.options.pool_bytes, 1 << 30);
  EXPECT_EQ(spec.options.bulk_bytes, 65536);
  EXPECT_EQ(spec.options.ranges, 32);
  EXPECT_TRUE(spec.options.clwb);
  EXPECT_EQ(spec.cache_bytes, 1 << 20);
  EXPECT_EQ(spec.dimms, 1);
  EXPECT_TRUE(spec.options.symmetric);
}

TEST(StoreSpec, ListsArePlacedBySubGraphsButForGraphone) {
  EXPECT_EQ(parse_store_spec("evolving").options.place, PlaceLists::sub_graphs);
  EXPECT_EQ(parse_store_spec("evolving:variant=graphone").options.place, PlaceLists::none);
  EXPECT_EQ(parse_store_spec("evolving:variant=graphone,nodes=sub-graphs").options.place,
            PlaceLists::sub_graphs);
  EXPECT_EQ(parse_store_spec("evolving:nodes=directions").options.place, PlaceLists::directions);
  EXPECT_EQ(parse_store_spec("evolving:nodes=off").options.place, PlaceLists::none);
}

TEST(StoreSpec, IdsOfANewStoreHaveFourBytesOrThree) {
  EXPECT_EQ(parse_store_spec("evolving:medium=ssd").id_bytes, 4);
  EXPECT_EQ(parse_store_spec("evolving:medium=ssd,ids=3").id_bytes, 3);
  EXPECT_EQ(parse_store_spec("evolving:medium=ssd").codec, "raw");
  EXPECT_EQ(parse_store_spec("evolving:medium=ssd,codec=svb").codec, "svb");
}

TEST(StoreSpec, RefusesWhatIsNone) {
  EXPECT_THROW(parse_store_spec("concurrent"), Error);
  EXPECT_THROW(parse_store_spec("evolving:medium=tape"), Error);
  EXPECT_THROW(parse_store_spec("evolving:buffers=many"), Error);
  EXPECT_THROW(parse_store_spec("evolving:buffers=16-"), Error);
  EXPECT_THROW(parse_store_spec("evolving:bulk=3M"), Error);
  EXPECT_THROW(parse_store_spec("evolving:colour=red"), Error);
  EXPECT_THROW(parse_store_spec("evolving:nodes=2"), Error);
  EXPECT_THROW(parse_store_spec("evolving:ids=3"), Error);
  EXPECT_THROW(parse_store_spec("evolving:medium=ssd,ids=2"), Error);
  EXPECT_THROW(parse_store_spec("evolving:medium=ssd,nodes=off"), Error);
  EXPECT_THROW(parse_store_spec("evolving:medium=model,variant=dram"), Error);
  EXPECT_THROW(parse_store_spec("evolving:medium=model,variant=graphone-dram"), Error);
  EXPECT_THROW(parse_store_spec("evolving:medium=model,variant=graphone-file"), Error);
}

TEST(StoreSpec, InPersistentMemoryHasNoOtherOrderOfWrites) {
  EXPECT_TRUE(parse_store_spec("evolving:medium=pmem,log=1M,lists=symmetric").in_pmem);
  for (const char* other :
       {"variant=battery", "variant=graphone", "clwb=on", "dimms=2", "group=4K"})
    EXPECT_THROW(parse_store_spec(std::string("evolving:medium=pmem,") + other), Error) << other;
}

}  // namespace

}  // namespace outcore::evolving
