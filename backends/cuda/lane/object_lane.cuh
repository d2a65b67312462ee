// A lane for an op with an object of its own, and so for a user's: what it may ask of its place in
// the block too.
#pragma once

#include <type_traits>

#include "backends/cuda/lane/cuda_lane.cuh"

namespace syncmeter::cuda {

template <class Object, class Lane> class object_lane : public Lane {
  static_assert(std::is_trivially_copyable_v<Object>,
                "on a GPU the object of an op gets there as bytes: it must be trivially copyable");
  static_assert(alignof(Object) <= 256,
                "on a GPU the object of an op must not be aligned to more than 256 bytes");

 public:
  SM_FN explicit object_lane(const kernel_setup& s)
      : Lane{s}, object_{reinterpret_cast<Object*>(s.data + number_of_object() * s.data_bytes)} {}

  /// The object of this lane's cell; of an op without cells that of its block.
  template <class Named = Object> [[nodiscard]] SM_FN Object& object() const {
    static_assert(std::is_same_v<Named, Object>,
                  "lane.object<T>() must name the type that the op has as `object`");
    return *object_;
  }
  [[nodiscard]] SM_FN unsigned number() const { return lane_in_block(); }  ///< from 0
  [[nodiscard]] SM_FN unsigned lanes() const { return lanes_in_block(); }  ///< of the block

 private:
  SM_FN static std::size_t number_of_object() {
    constexpr form f = Lane::lane_form;
    if constexpr (f.placement == placement::strided) return Lane::thread();
    else if constexpr (f.placement == placement::shared && f.space != space::shared_memory)
      return 0;
    else return blockIdx.x;
  }

  Object* object_;
};

}  // namespace syncmeter::cuda
